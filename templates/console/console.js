// SPDX-License-Identifier: Apache-2.0
// All works without this: it puts times into the viewer's own zone, copies, and keeps pages fresh.
'use strict';
(function () {
  var zone = new Intl.DateTimeFormat(undefined, {dateStyle: 'medium', timeStyle: 'short'});
  var hour = new Intl.DateTimeFormat(undefined, {timeStyle: 'short'});

  function times(root) {
    root.querySelectorAll('time[datetime]').forEach(function (t) {
      var at = new Date(t.getAttribute('datetime'));
      if (isNaN(at)) return;
      var today = at.toDateString() === new Date().toDateString();
      t.title = t.getAttribute('datetime');
      t.textContent = (today ? hour : zone).format(at);
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
    }).catch(function () {});
  }

  times(document);
  copies(document);
  document.querySelectorAll('[data-live]').forEach(function (part) {
    setInterval(refresh, 10000, part);
  });
})();
