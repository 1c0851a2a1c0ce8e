# SPDX-License-Identifier: Apache-2.0
"""Help desks as their makers document them: as much of each as its preset in config/destinations uses.

    with Peer(Zammad) as peer:
        peer.faults = ["drop after", 429]     # one a request that makes something, in turn; then none
        peer.cases                             # what truly stands there, by number

A product is a class with a table of routes: (method, path, what answers it). What is not known to be
allowed is refused, so that a preset that is wrong is seen to be; what is too long is refused or cut as there.
`refusal` is how it says no to one case: a status and words that quote the mail. `lag` is how many searches
still miss what was just made. No peer was held to a running product; each stands for what was read:

    Zammad      docs.zammad.org/en/latest/api/ticket and .../ticket/articles; of zammad/zammad
                ticket_articles_controller.rb (by_ticket lists attachments), creates_ticket_articles.rb (422),
                checks_attribute_values_and_length.rb (what is too long is cut)
    GLPI        apirest.md of glpi-project/glpi; parseDropdowns of inc/api.class.php: expand_dropdowns gives
                names for ids, and for items_id that of the item
    Freshdesk   developers.freshdesk.com/api (v2): tickets, conversations, rate limit; filter tickets (512
                characters, 30 a page, archived ones never, indexed after some minutes); status codes (409 is
                a conflicting state, 406 another Accept than JSON or anything)
    ServiceNow  of ServiceNow/ServiceNowDocs c_TableAPI.md (what of a query is invalid is ignored; at most so
                many by sysparm_limit), c_AttachmentAPI.md, r_RESTAPIHTTPResponseCodes.md (403 also by a data
                policy); sys_journal_field holds what is written as comments
    Jira        developer.atlassian.com: servicedeskapi/request, .../comment; rest/api/3 search/jql (without
                fields none are given; search follows a write after seconds to minutes), issue, attachments,
                transitions (409: a conflicting update)
    Dataverse   of MicrosoftDocs/powerapps-docs perform-conditional-operations-using-web-api.md,
                use-upsert-insert-update-record.md, use-alternate-key-reference-record.md; service protection
                limits; the columns of Case (incident): title 200, description 2,000
    osTicket    setup/doc/api/tickets.md, include/api.tickets.php, include/class.api.php of osTicket/osTicket:
                403 is for one sender, a message that begins with data: is RFC 2397
"""
import base64
import email.parser
import email.policy
import hashlib
import html
import json
import re
import secrets
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from urllib.parse import parse_qs, unquote, unquote_to_bytes, urlparse


class Refusal(Exception):
    """A status and what is said with it."""

    def __init__(self, status, said=None, **headers):
        super().__init__(status, said)
        self.status, self.said, self.headers = status, said, headers


def only(said, *names, needs=()):
    """A validation as strict as the documents: no other members, none missing or empty."""
    wrong = [name for name in said if name not in names] + [name for name in needs if not said.get(name)]
    if wrong:
        raise Refusal(400, {"description": "Validation failed", "errors": [{"field": name} for name in wrong]})
    return said


def basic(name, password):
    return "Basic " + base64.b64encode(f"{name}:{password}".encode()).decode()


class Case(dict):
    """The members that were said, and what was added since."""

    def __init__(self, number, said):
        super().__init__(said)
        self.number, self.notes, self.files, self.closed = number, [], [], False


class Product:
    authorization = None  # the one that is let in
    retry_after = "0"  # of one that says it shortly, so that the tests are short
    refusal = 422, {"error": "no"}
    lag = 0
    routes = ()

    def __init__(self, peer):
        self.peer = peer
        self.missed = {}  # by number: how many searches have missed it

    def let_in(self, asked):
        if asked.headers.get("Authorization") != self.authorization:
            raise Refusal(401, {"error": "Authentication required"})

    def case(self, number):
        case = self.peer.cases.get(str(number))
        if case is None:
            raise Refusal(404, {"error": "No such object"})
        return case

    def make(self, said, number=None):
        number = number or str(len(self.peer.cases) + 11)
        case = self.peer.cases[number] = Case(number, said)
        return case

    def indexed(self):
        """What a search knows: a new case only after `lag` of them."""
        known = []
        for case in self.peer.cases.values():
            self.missed[case.number] = self.missed.get(case.number, 0) + 1
            if self.missed[case.number] > self.lag:
                known.append(case)
        return known

    def note(self, case, **note):
        note["id"] = 100 + sum(len(c.notes) for c in self.peer.cases.values())
        case.notes.append(note)
        return note


def plain(markup):
    """HTML as it is read."""
    return html.unescape(re.sub(r"<[^>]*>", "", re.sub(r"<br>", "\n", markup)))


def file_of(name, octets):
    return {"name": name, "sha256": hashlib.sha256(octets).hexdigest()}


class Zammad(Product):
    preset, url, path = "zammad", "https://zammad.example.org/api/v1", "/api/v1"
    authorization = "Token token=a-token"
    secrets = {"/etc/onecase/zammad.authorization": authorization}
    refusal = 422, {"error": "No lookup value found for 'customer_id': \"%(from)s\"", "error_human": "%(subject)s"}
    lag = 1

    def create(self, asked):
        said = only(asked.json(), "title", "group", "customer_id", "onecase_key", "note", "article",
                    needs=("title", "group", "customer_id", "article"))
        only(said["article"], "subject", "body", "type", "sender", "content_type", "internal", needs=("body",))
        if not said["customer_id"].startswith("guess:"):
            raise Refusal(422, {"error": "customer"})
        said["title"] = said["title"][:250]
        case = self.make(said)
        return 201, {"id": int(case.number), "number": "6" + case.number, "title": said["title"], "onecase_key": said["onecase_key"]}

    def shown(self, case):
        return {"id": int(case.number), "title": case["title"], "onecase_key": case["onecase_key"],
                "state": "closed" if case.closed else "new"}

    def search(self, asked):
        query = asked.query["query"][0]
        if asked.query.get("expand") != ["true"]:
            return 200, {"tickets": [], "assets": {}}
        name, _, value = query.partition(":")
        return 200, [self.shown(c) for c in self.indexed() if c.get(name) == value][:int(asked.query["limit"][0])]

    def article(self, asked):
        said = only(asked.json(), "ticket_id", "subject", "body", "type", "sender", "content_type", "internal", "attachments",
                    needs=("ticket_id", "body"))
        case = self.case(said.pop("ticket_id"))
        for attachment in said.get("attachments", []):
            if missing := [name for name in ("mime-type", "filename", "data") if name not in attachment]:
                raise Refusal(422, {"error": f"Attachment needs '{missing[0]}' param for attachment with index '0'"})
            octets = base64.b64decode(attachment.pop("data"), validate=True)
            case.files.append(file_of(attachment["filename"], octets))
        said["subject"] = said["subject"][:3000]
        note = self.note(case, **said)
        note["text"] = "" if said.get("attachments") else said["body"]
        return 201, note

    def articles(self, asked, number):
        return 200, [{"attachments": [], **note} for note in self.case(number).notes]

    def change(self, asked, number):
        case = self.case(number)
        case.closed = only(asked.json(), "state")["state"] == "closed"
        return 200, self.shown(case)

    routes = (("POST", r"/tickets", create), ("GET", r"/tickets/search", search),
              ("GET", r"/tickets/(\d+)", lambda self, asked, n: (200, self.shown(self.case(n)))),
              ("PUT", r"/tickets/(\d+)", change), ("POST", r"/ticket_articles", article),
              ("GET", r"/ticket_articles/by_ticket/(\d+)", articles))


class Glpi(Product):
    preset, url, path = "glpi", "https://glpi.example.org/apirest.php", "/apirest.php"
    secrets = {"/etc/onecase/glpi.authorization": "user_token a-token"}
    environment = {"GLPI_APP_TOKEN": "an-app-token"}
    refusal = 400, ["ERROR_GLPI_ADD", "%(from)s: %(subject)s"]

    def __init__(self, peer):
        super().__init__(peer)
        self.sessions, self.opened = set(), 0

    def let_in(self, asked):
        if asked.headers.get("App-Token") != "an-app-token":
            raise Refusal(400, ["ERROR_APP_TOKEN_PARAMETERS_MISSING", "missing parameter(s): app_token"])
        if asked.place == "/initSession":
            if asked.headers.get("Authorization") != "user_token a-token":
                raise Refusal(401, ["ERROR_GLPI_LOGIN_USER_TOKEN", "parameter user_token seems invalid"])
        elif asked.headers.get("Session-Token") not in self.sessions:
            raise Refusal(401, ["ERROR_SESSION_TOKEN_INVALID", "session_token seems invalid"])
        if asked.command == "GET" and asked.octets:
            raise Refusal(400, ["ERROR_BAD_REQUEST", "GET requests must have an empty body"])
        if "Content-Type" not in asked.headers:
            raise Refusal(400, ["ERROR_BAD_REQUEST", "Content-Type"])

    def init(self, asked):
        self.sessions.add(token := secrets.token_hex(20))
        self.opened += 1
        return 200, {"session_token": token}

    def create(self, asked):
        said = only(only(asked.json(), "input", needs=("input",))["input"], "name", "content", needs=("name", "content"))
        case = self.make({**said, "name": said["name"][:255], "read": plain(said["content"])})
        return 201, {"id": int(case.number), "message": "Item successfully added"}

    def shown(self, case):
        return {"id": int(case.number), "name": case["name"], "content": case["content"], "status": 6 if case.closed else 1}

    def find(self, asked):
        first, last = map(int, asked.query.get("range", ["0-50"])[0].split("-"))
        wanted = asked.query["searchText[content]"][0]
        return 200, [self.shown(c) for c in self.peer.cases.values() if wanted in c["content"]][first:last + 1]

    def followup(self, asked):
        said = only(asked.json()["input"], "itemtype", "items_id", "content", needs=("itemtype", "items_id", "content"))
        if said["itemtype"] != "Ticket":
            raise Refusal(400, ["ERROR_GLPI_ADD", ""])
        note = self.note(self.case(said["items_id"]), text=plain(said["content"]), content=said["content"])
        return 201, {"id": note["id"], "message": ""}

    def document(self, asked):
        fields, (field, name, octets) = asked.form()
        said = only(json.loads(fields["uploadManifest"])["input"], "name", "_filename", "itemtype", "items_id",
                    needs=("name", "_filename"))
        if field != "filename[0]" or said["_filename"] != [name] or said["itemtype"] != "Ticket":
            raise Refusal(400, ["ERROR_GLPI_ADD", ""])
        self.case(said["items_id"]).files.append({**file_of(name, octets), "called": said["name"]})
        return 201, {"id": 7, "message": "Document move succeeded.", "upload_result": {"filename": [{"name": name}]}}

    def documents(self, asked, number):
        named = asked.query.get("expand_dropdowns") == ["true"]
        case = self.case(number)
        return 200, [{"id": i, "itemtype": "Ticket", "documents_id": f["called"] if named else i,
                      "items_id": case["name"] if named else int(number)} for i, f in enumerate(case.files)]

    def change(self, asked, number):
        self.case(number).closed = only(asked.json()["input"], "status")["status"] == 6
        return 200, [{number: True, "message": ""}]

    routes = (("GET", r"/initSession", init), ("POST", r"/Ticket", create), ("GET", r"/Ticket", find),
              ("GET", r"/Ticket/(\d+)", lambda self, asked, n: (200, self.shown(self.case(n)))),
              ("POST", r"/ITILFollowup", followup),
              ("GET", r"/Ticket/(\d+)/ITILFollowup", lambda self, asked, n: (200, self.case(n).notes)),
              ("POST", r"/Document", document), ("GET", r"/Ticket/(\d+)/Document_Item", documents),
              ("PUT", r"/Ticket/(\d+)", change))


class Freshdesk(Product):
    retry_after = "1"
    preset, url, path = "freshdesk", "https://example.freshdesk.com/api/v2", "/api/v2"
    authorization = basic("an-api-key", "X")
    environment = {"FRESHDESK_API_KEY": "an-api-key"}
    refusal = 400, {"description": "Validation failed", "errors": [
        {"field": "email", "message": "It should be in the 'valid email address' format: %(from)s", "code": "invalid_value"}]}
    lag = 1

    def let_in(self, asked):
        super().let_in(asked)
        if asked.headers.get("Accept") not in ("application/json", "*/*"):
            raise Refusal(406)

    def create(self, asked):
        said = only(asked.json(), "email", "subject", "description", "status", "priority", "source", "custom_fields",
                    needs=("email", "subject", "description", "status", "priority"))
        only(said["custom_fields"], "cf_onecase_key")
        if said["source"] not in (1, 2, 3, 5, 6, 7, 9, 11, 10) or said["status"] not in (2, 3, 4, 5):
            raise Refusal(400, {"description": "Validation failed"})
        if len(said["subject"]) > 255:
            raise Refusal(400, {"description": "Validation failed", "errors": [{"field": "subject", "code": "invalid_value"}]})
        return 201, self.shown(self.make({**said, "read": plain(said["description"])}))

    def shown(self, case):
        return {"id": int(case.number), "subject": case["subject"], "status": 5 if case.closed else 2,
                "custom_fields": case["custom_fields"]}

    def search(self, asked):
        asks = re.fullmatch(r'"(cf_\w+):\'(.*)\'"', asked.query["query"][0])
        if not asks or len(asks[0]) > 512:
            raise Refusal(400, {"description": "Validation failed"})
        found = [self.shown(c) for c in self.indexed() if c["custom_fields"].get(asks[1]) == asks[2]]
        return 200, {"total": len(found), "results": found[:30]}

    def add(self, asked, number):
        case, files = self.case(number), []
        if asked.headers["Content-Type"].startswith("multipart/"):
            said, (field, name, octets) = asked.form()
            if field != "attachments[]":
                raise Refusal(400, {"description": "Validation failed"})
            case.files.append(file_of(name, octets))
            files = [{"id": 9, "name": name, "size": len(octets), "content_type": "application/octet-stream"}]
        else:
            said = asked.json()
        only(said, "body", "incoming", "private", "user_id", "notify_emails", needs=("body",))
        text = plain(said["body"])
        note = self.note(case, body=said["body"], body_text=text, attachments=files, text="" if files else text)
        return 201, note

    def change(self, asked, number):
        case = self.case(number)
        case.closed = only(asked.json(), "status")["status"] == 5
        return 200, self.shown(case)

    routes = (("POST", r"/tickets", create), ("GET", r"/search/tickets", search),
              ("GET", r"/tickets/(\d+)", lambda self, asked, n: (200, self.shown(self.case(n)))),
              ("POST", r"/tickets/(\d+)/notes", add), ("PUT", r"/tickets/(\d+)", change),
              ("GET", r"/tickets/(\d+)/conversations",
               lambda self, asked, n: (200, self.case(n).notes[:min(100, int(asked.query.get("per_page", ["30"])[0]))])))


class ServiceNow(Product):
    preset, url, path = "servicenow", "https://example.service-now.com/api/now", "/api/now"
    authorization = basic("onecase", "a-password")
    secrets = {"/etc/onecase/servicenow.password": "a-password"}
    refusal = 400, {"error": {"message": "Exception while reading request", "detail": "%(subject)s"}, "status": "failure"}
    room = {"short_description": 160, "description": 4000, "comments": 4000, "correlation_id": 100}

    def create(self, asked):
        said = {name: value[:self.room.get(name, 40)] for name, value in asked.json().items()}
        return 201, {"result": self.shown(self.make(said, secrets.token_hex(16)))}

    def shown(self, case):
        return {"sys_id": case.number, "number": "INC0010001", "correlation_id": case["correlation_id"],
                "state": case.get("state", "1")}

    def answer_query(self, asked, records):
        """Those that an encoded query is true of; a part of it that is invalid is ignored."""
        parts = [re.fullmatch(r"([a-z_]+?)(=|LIKE)(.*)", part) for part in asked.query["sysparm_query"][0].split("^")]
        terms = [part.groups() for part in parts if part and any(part[1] in record for record in records)]
        found = [r for r in records if all(value in r[field] if how == "LIKE" else r[field] == value for field, how, value in terms)]
        return 200, {"result": found[:int(asked.query.get("sysparm_limit", ["10000"])[0])]}

    def find(self, asked):
        return self.answer_query(asked, [self.shown(c) for c in self.peer.cases.values()])

    def change(self, asked, number):
        case, said = self.case(number), asked.json()
        if "comments" in said:
            self.note(case, text=said["comments"][:self.room["comments"]], element="comments", element_id=number)
        elif said.get("state") == "7" and not (said.get("close_code") and said.get("close_notes")):
            raise Refusal(403, {"error": {"message": "Operation Failed", "detail": "Data Policy Exception"}, "status": "failure"})
        else:
            case.closed = said.get("state") == "7"
        return 200, {"result": {"sys_id": number}}

    def journal(self, asked):
        return self.answer_query(asked, [{"sys_id": str(n["id"]), "value": n["text"], "element": n["element"],
                                          "element_id": n["element_id"]} for c in self.peer.cases.values() for n in c.notes])

    def upload(self, asked):
        place = {name: values[0] for name, values in asked.query.items()}
        if place["table_name"] != "incident":
            raise Refusal(404, {"error": {"message": "Invalid table"}})
        case = self.case(place["table_sys_id"])
        case.files.append(file_of(place["file_name"], asked.octets))
        return 201, {"result": {"sys_id": secrets.token_hex(16), "file_name": place["file_name"], "table_sys_id": case.number}}

    def files(self, asked):
        return self.answer_query(asked, [{"sys_id": "f" * 32, "file_name": f["name"], "table_name": "incident",
                                          "table_sys_id": c.number} for c in self.peer.cases.values() for f in c.files])

    routes = (("POST", r"/table/incident", create), ("GET", r"/table/incident", find),
              ("GET", r"/table/incident/(\w+)", lambda self, asked, n: (200, {"result": self.shown(self.case(n))})),
              ("PATCH", r"/table/incident/(\w+)", change), ("GET", r"/table/sys_journal_field", journal),
              ("POST", r"/attachment/file", upload), ("GET", r"/attachment", files))


class Jira(Product):
    preset, url, path = "jira-service-management", "https://example.atlassian.net", ""
    authorization = basic("onecase@example.org", "a-token")
    secrets = {"/etc/onecase/jira.token": "a-token"}
    refusal = 400, {"errorMessage": "Your input is invalid", "errorMessages": ["%(subject)s"]}
    lag = 1

    def create(self, asked):
        said = only(asked.json(), "serviceDeskId", "requestTypeId", "requestFieldValues", "raiseOnBehalfOf",
                    needs=("serviceDeskId", "requestTypeId", "requestFieldValues"))
        if "@" in said.get("raiseOnBehalfOf", ""):  # an accountId is wanted
            raise Refusal(400, {"errorMessage": "Your changes couldn't be saved because these users don't exist"})
        fields = only(said["requestFieldValues"], "summary", "description", "customfield_10050", needs=("summary",))
        if len(fields["summary"]) > 255 or "\n" in fields["summary"] or len(fields["description"]) > 32767:
            raise Refusal(400, {"errorMessage": "Your input is invalid"})
        case = self.make(fields, f"HELP-{len(self.peer.cases) + 1}")
        return 201, {"issueId": "10001", "issueKey": case.number, "requestTypeId": said["requestTypeId"]}

    def shown(self, case, fields):
        attachments = [{"id": str(i), "filename": f["name"]} for i, f in enumerate(case.files)]
        every = {"customfield_10050": case["customfield_10050"], "attachment": attachments}
        return {"id": "10001", "key": case.number, "fields": {name: every[name] for name in fields}}

    def search(self, asked):
        asks = re.fullmatch(r'cf\[10050\]="(\w+)"', asked.query["jql"][0])
        if not asks:
            raise Refusal(400, {"errorMessages": ["Error in the JQL Query"]})
        found = [c for c in self.indexed() if c["customfield_10050"] == asks[1]]
        return 200, {"issues": [self.shown(c, asked.query.get("fields", [])) for c in found], "isLast": True}

    def comment(self, asked, number):
        said = only(asked.json(), "body", "public", needs=("body",))
        if len(said["body"]) > 32767:
            raise Refusal(400, {"errorMessage": "The entered text is too long."})
        note = self.note(self.case(number), text=said["body"], body=said["body"])
        return 201, {"id": str(note["id"]), "body": said["body"], "public": said["public"]}

    def comments(self, asked, number):
        notes = [{"id": str(n["id"]), "body": n["body"]} for n in self.case(number).notes]
        return 200, {"size": len(notes), "start": 0, "limit": 100, "isLastPage": True, "values": notes}

    def upload(self, asked, number):
        if asked.headers.get("X-Atlassian-Token") != "no-check":
            raise Refusal(403, b"XSRF check failed")
        fields, (field, name, octets) = asked.form()
        if field != "file":
            raise Refusal(404, {"errorMessages": []})
        self.case(number).files.append(file_of(name, octets))
        return 200, [{"id": "10000", "filename": name, "size": len(octets)}]

    def transition(self, asked, number):
        if only(asked.json(), "transition")["transition"] != {"id": "31"}:
            raise Refusal(400, {"errorMessages": ["transition"]})
        self.case(number).closed = True
        return 204, None

    routes = (("POST", r"/rest/servicedeskapi/request", create), ("GET", r"/rest/api/3/search/jql", search),
              ("GET", r"/rest/api/3/issue/([A-Z]+-\d+)",
               lambda self, asked, n: (200, self.shown(self.case(n), asked.query["fields"][0].split(",")))),
              ("POST", r"/rest/servicedeskapi/request/([A-Z]+-\d+)/comment", comment),
              ("GET", r"/rest/servicedeskapi/request/([A-Z]+-\d+)/comment", comments),
              ("POST", r"/rest/api/3/issue/([A-Z]+-\d+)/attachments", upload),
              ("POST", r"/rest/api/3/issue/([A-Z]+-\d+)/transitions", transition))


class Dataverse(Product):
    preset, url, path = "dataverse", "https://example.crm.dynamics.com/api/data/v9.2", "/api/data/v9.2"
    authorization = "Bearer a-token"
    secrets = {"/etc/onecase/dataverse.secret": "a-secret"}
    refusal = 400, {"error": {"code": "0x80040203", "message": "%(subject)s is not valid"}}
    room = {"title": 200, "description": 2000}

    def by_key(self, key):
        return next((c for c in self.peer.cases.values() if c["new_onecasekey"] == key), None)

    def shown(self, asked, case):
        every = {**case, "incidentid": case.number}
        names = asked.query.get("$select", [",".join(every)])[0].split(",")
        return {"@odata.context": "...", **{name: every[name] for name in names}}

    def upsert(self, asked, key):
        said = only(asked.json(), "title", "description", "customerid_account@odata.bind",
                    needs=("title", "customerid_account@odata.bind"))
        case = self.by_key(key)
        if case and asked.headers.get("If-None-Match") == "*":
            raise Refusal(412, {"error": {"code": "", "message": "A record with matching key values already exists."}})
        for name, room in self.room.items():
            if len(said[name]) > room:
                raise Refusal(400, {"error": {"code": "0x80044331", "message": f"The length of the '{name}' attribute of the "
                                              f"'incident' entity exceeded the maximum allowed length of '{room}'."}})
        made = case is None
        case = case or self.make({}, f"{len(self.peer.cases):08}-0000-0000-0000-000000000000")
        case.update(said, new_onecasekey=key)
        whole = asked.headers.get("Prefer") == "return=representation"
        return (201 if made else 200, self.shown(asked, case)) if whole else (204, None)

    def find(self, asked, key):
        case = self.by_key(key)
        if case is None:
            raise Refusal(404, {"error": {"code": "0x80060891", "message": "A record with the specified key values does not exist"}})
        return 200, self.shown(asked, case)

    routes = (("PATCH", r"/incidents\(new_onecasekey='(\w+)'\)", upsert), ("GET", r"/incidents\(new_onecasekey='(\w+)'\)", find))


class OsTicket(Product):
    preset, url, path = "osticket", "https://support.example.org/api", "/api"
    environment = {"OSTICKET_API_KEY": "an-api-key"}
    refusal = 403, b"Ticket denied"

    def let_in(self, asked):
        if asked.headers.get("X-API-Key") != "an-api-key":
            raise Refusal(401, b"Valid API key required")

    def create(self, asked):
        said = only(asked.json(), "source", "alert", "autorespond", "name", "email", "subject", "message",
                    needs=("name", "email", "subject", "message"))
        if said["message"].startswith("data:"):
            said["message"] = unquote_to_bytes(said["message"].partition(",")[2]).decode()
        return 201, self.make(said, str(123456 + len(self.peer.cases))).number.encode()

    routes = (("POST", r"/tickets.json", create),)


PRODUCTS = {product.preset: product for product in (Zammad, Glpi, Freshdesk, ServiceNow, Jira, Dataverse, OsTicket)}


class Peer:
    def __init__(self, product):
        self.cases, self.requests, self.faults = {}, [], []
        self.sender = self.subject = ""  # what a refusal quotes
        self.product = product(self)
        self.lock = threading.Lock()
        self.server = None

    def __enter__(self):
        self.server = ThreadingHTTPServer(("127.0.0.1", 0), type("Handler", (Asked,), {"peer": self}))
        self.server.daemon_threads = True
        threading.Thread(target=self.server.serve_forever, args=(0.02,), daemon=True).start()
        return self

    def __exit__(self, *_):
        self.server.shutdown()
        self.server.server_close()

    @property
    def url(self):
        return f"http://127.0.0.1:{self.server.server_address[1]}{self.product.path}"

    def made(self, method="POST"):
        return [place for command, place in self.requests if command == method]


class Asked(BaseHTTPRequestHandler):
    """One request, taken to the product's route."""
    peer, octets, place, query = None, b"", "", {}
    protocol_version = "HTTP/1.1"

    def log_message(self, *_):
        pass

    def json(self):
        if self.headers.get("Content-Type", "").split(";")[0] != "application/json":
            raise Refusal(415, {"error": "Content-Type"})
        return json.loads(self.octets)

    def form(self):
        """Its fields, and its one file: the field's name, the file's, its octets."""
        head = f"Content-Type: {self.headers['Content-Type']}\r\n\r\n".encode()
        parts = email.parser.BytesParser(policy=email.policy.HTTP).parsebytes(head + self.octets).iter_parts()
        fields, file = {}, None
        for part in parts:
            name = part.get_param("name", header="content-disposition")
            if part.get_filename():
                file = name, part.get_filename(), part.get_payload(decode=True)
            else:
                fields[name] = part.get_payload(decode=True).decode()
        return fields, file

    def say(self, status, said=None, **headers):
        octets = b"" if said is None else said if isinstance(said, bytes) else json.dumps(said).encode()
        self.send_response(status)
        for name, value in headers.items():
            self.send_header(name.replace("_", "-"), value)
        self.send_header("Content-Length", str(len(octets)))
        self.end_headers()
        self.wfile.write(octets)

    def fault(self):
        makes = self.command != "GET"
        return self.peer.faults.pop(0) if makes and self.peer.faults else None

    def quoting(self, said):
        """Words that quote the mail, as products do."""
        if said is None or isinstance(said, bytes):
            return said
        mail = {"from": self.peer.sender, "subject": self.peer.subject}
        return json.loads(json.dumps(said).replace("%(from)s", mail["from"]).replace("%(subject)s", mail["subject"]))

    def routed(self):
        product, url = self.peer.product, urlparse(self.path)
        self.place, self.query = unquote(url.path.removeprefix(product.path)), parse_qs(url.query)
        product.let_in(self)
        for method, path, answer in product.routes:
            found = re.fullmatch(path, self.place)
            if found and method == self.command:
                return answer(product, self, *found.groups())
        raise Refusal(404, {"error": "no such resource"})

    def answer(self):
        self.octets = self.rfile.read(int(self.headers.get("Content-Length") or 0))
        with self.peer.lock:
            self.peer.requests.append((self.command, self.path))
            fault = self.fault()
            try:
                if fault == "refuse":
                    raise Refusal(*self.peer.product.refusal)
                if isinstance(fault, int):
                    raise Refusal(fault, {"error": "not now"}, **({"Retry_After": self.peer.product.retry_after} if fault == 429 else {}))
                status, said = self.routed()
            except Refusal as refusal:
                return self.say(refusal.status, self.quoting(refusal.said), **refusal.headers)
        if fault == "drop after":
            self.close_connection = True
            return None
        return self.say(status, said)

    do_GET = do_POST = do_PUT = do_PATCH = answer
