"""Receives and verifies webhooks. Needs Python 3.9 or later, and no package."""

import base64
import hashlib
import hmac
import json
import os
import time
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

BODY_MAX = 1024 * 1024
processed = set()  # In production: a table of your database, kept for 4 days.


def is_genuine(headers, body, secret):
    """Returns whether the service signed this request in the last 5 minutes. `body` is the raw bytes."""
    message_id, timestamp = headers.get("webhook-id", ""), headers.get("webhook-timestamp", "")
    if not timestamp.isdecimal() or abs(time.time() - int(timestamp)) > 300:
        return False
    key = base64.b64decode(secret[len("whsec_") :])
    signed = f"{message_id}.{timestamp}.".encode() + body
    expected = b"v1," + base64.b64encode(hmac.new(key, signed, hashlib.sha256).digest())
    given = headers.get("webhook-signature", "").encode().split(b" ")
    return any(hmac.compare_digest(expected, one) for one in given)


def process(event):
    """Does the work of an event. `data` of `notes` is the body of GET /notes."""
    if event["type"] == "notes":
        for note in event["data"]["data"]:
            print(f"chain {note['chainid']}: {note['coupon']} bps until {note['signature_valid_before']}", flush=True)
    else:
        print(event["type"], event["data"].get("message", ""), flush=True)


class Receiver(BaseHTTPRequestHandler):
    timeout = 15

    def do_POST(self):
        length = self.headers.get("content-length", "")
        if not length.isdecimal() or int(length) > BODY_MAX:
            return self.respond(413)
        body = self.rfile.read(int(length))
        if not is_genuine(self.headers, body, os.environ["WEBHOOK_SECRET"]):
            return self.respond(400)
        message_id = self.headers["webhook-id"]
        if message_id not in processed:
            process(json.loads(body))
            processed.add(message_id)
        return self.respond(204)

    def respond(self, status):
        # A refused body may not have been read.
        self.close_connection = True
        self.send_response(status)
        self.end_headers()

    def log_message(self, *_):
        pass


if __name__ == "__main__":
    server = ThreadingHTTPServer(("127.0.0.1", int(os.environ.get("PORT", "8080"))), Receiver)
    print(f"listening on {server.server_port}", flush=True)
    server.serve_forever()
