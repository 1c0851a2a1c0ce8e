// SPDX-License-Identifier: Apache-2.0
// All works without this: it puts times into the viewer's own zone, copies, and keeps pages fresh.
'use strict';
(function () {
  var zone = new Intl.DateTimeFormat(undefined, {dateStyle: 'medium', timeStyle: 'short'});
  var year = new Intl.DateTimeFormat(undefined, {day: 'numeric', month: 'short', hour: 'numeric', minute: '2-digit'});
  var exact = new Intl.DateTimeFormat(undefined, {dateStyle: 'medium', timeStyle: 'medium'});
  var hour = new Intl.DateTimeFormat(undefined, {timeStyle: 'short'});

  function times(root) {
    root.querySelectorAll('time[datetime]').forEach(function (t) {
      var at = new Date(t.getAttribute('datetime'));
      if (isNaN(at)) return;
      var now = new Date(), today = at.toDateString() === now.toDateString(), whole = t.classList.contains('whole');
      var seconds = /\d:\d\d:\d/.test(t.textContent);
      t.title = t.getAttribute('datetime');
      t.textContent = (seconds ? exact : whole || at.getFullYear() !== now.getFullYear() ? zone : today ? hour : year).format(at);
    });
  }

  function copies(root) {
    if (!navigator.clipboard) return;
    root.querySelectorAll('button[data-copy]').forEach(function (b) {
      b.hidden = false;
      b.addEventListener('click', function () {
        navigator.clipboard.writeText(b.dataset.copy).then(function () { b.textContent = 'Copied'; });
      });
    });
  }

  // Not while somebody types or has something open.
  function busy(part) {
    return document.hidden || part.contains(document.activeElement) || part.querySelector('details[open]');
  }

  function refresh(part) {
    if (busy(part)) return;
    fetch(part.dataset.live, {headers: {'X-Fragment': '1'}, credentials: 'same-origin'}).then(function (r) {
      return r.ok && !r.redirected ? r.text() : null;
    }).then(function (text) {
      if (text === null || busy(part)) return;
      var page = new DOMParser().parseFromString(text, 'text/html');
      var fresh = page.querySelector('[data-live]');
      if (!fresh) return;
      part.replaceChildren.apply(part, Array.from(fresh.childNodes));
      times(part);
      columns(part);
    }).catch(function () {});
  }

  // Every field in which something was typed or chosen, by its form and name: a list that is loaded anew has others.
  function fields() {
    return Array.from(document.querySelectorAll('main form')).reduce(function (all, form) {
      return all.concat(Array.from(form.elements).filter(function (e) { return e.name && e.type !== 'hidden' && e.type !== 'submit'; })
        .map(function (e) {
          var box = e.type === 'checkbox';
          return {element: e, box: box, name: JSON.stringify([form.getAttribute('action'), e.name, box ? e.value : ''])};
        }));
    }, []);
  }

  function keep() {
    var typed = {};
    fields().forEach(function (f) {
      var e = f.element;
      if (f.box ? e.checked !== e.defaultChecked : e.value !== e.defaultValue) typed[f.name] = f.box ? e.checked : e.value;
    });
    sessionStorage.setItem('typed', JSON.stringify({path: location.pathname, at: Date.now(), typed: typed}));
  }

  // Once, at once, and on the page it was typed on.
  function putBack() {
    var kept = JSON.parse(sessionStorage.getItem('typed') || 'null');
    sessionStorage.removeItem('typed');
    if (!kept || kept.path !== location.pathname || Date.now() - kept.at > 60000) return;
    fields().forEach(function (f) {
      if (!(f.name in kept.typed)) return;
      if (f.box) f.element.checked = kept.typed[f.name]; else f.element.value = kept.typed[f.name];
    });
  }

  // A list under somebody's hands is left as it is: a line says that it is no longer all, and leads to it.
  function tell(line, waiting) {
    var more = waiting - line.dataset.count;
    if (line.dataset.told === String(more)) return;
    line.dataset.told = more;
    line.replaceChildren();
    if (more === 0) return;
    var link = document.createElement('a');
    link.href = location.pathname;
    link.textContent = more > 0 ? 'show ' + (more === 1 ? 'it' : 'them') : 'show what is left';
    link.addEventListener('click', keep);
    line.append(more > 0 ? (more === 1 ? 'One more waits: ' : more + ' more wait: ')
                         : (more === -1 ? 'One waits no more: ' : -more + ' wait no more: '), link);
  }

  function ask(line) {
    if (document.hidden) return;
    fetch(line.dataset.waiting, {credentials: 'same-origin'}).then(function (r) {
      return r.ok && !r.redirected ? r.json() : null;
    }).then(function (now) {
      if (now !== null) tell(line, now.waiting);
    }).catch(function () {});
  }

  // On a narrow screen a row stands as a block of its own, in which each cell says its column.
  function columns(root) {
    root.querySelectorAll('table.rows').forEach(function (table) {
      var heads = Array.from(table.tHead.rows[0].cells, function (head) { return head.querySelector('.hidden') ? '' : head.textContent; });
      Array.from(table.tBodies[0].rows).forEach(function (row) {
        if (row.cells.length === heads.length)
          heads.forEach(function (head, n) { if (head && n > 0) row.cells[n].dataset.label = head; });
      });
      table.classList.add('stacks');
    });
  }

  // Where a drawing is wider than the screen, its last days are what one wants to see.
  function showLast(root) {
    root.querySelectorAll('.drawing').forEach(function (drawing) { drawing.scrollLeft = drawing.scrollWidth; });
  }

  // On a narrow screen the places are one line that is moved sideways.
  function showPlace(here) {
    if (here) here.closest('ul').scrollLeft = here.offsetLeft - 40;
  }

  document.querySelectorAll('[data-zone]').forEach(function (e) { e.textContent = zone.resolvedOptions().timeZone; });
  times(document);
  copies(document);
  columns(document);
  showLast(document);
  showPlace(document.querySelector('.places a[aria-current]'));
  putBack();
  document.querySelectorAll('[data-waiting]').forEach(function (line) {
    setInterval(ask, 10000, line);
    document.addEventListener('visibilitychange', function () { ask(line); });
  });
  document.querySelectorAll('[data-live]').forEach(function (part) {
    setInterval(refresh, part.dataset.every || 10000, part);
  });
})();
