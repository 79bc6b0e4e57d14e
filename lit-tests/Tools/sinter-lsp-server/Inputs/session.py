"""An editor's session with sinter-lsp-server over its standard input and output: opens a file with an error, hovers
over an operator, jumps to the definition of a value, corrects the error, and leaves."""

import json
import pathlib
import subprocess
import sys


class Server:
    def __init__(self, command):
        self.process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE)
        self.number = 0

    def send(self, method, params, **more):
        text = json.dumps({"jsonrpc": "2.0", "method": method, "params": params, **more}).encode()
        self.process.stdin.write(b"Content-Length: %d\r\n\r\n%s" % (len(text), text))
        self.process.stdin.flush()

    def receive(self):
        length = None
        while (line := self.process.stdout.readline().strip()) or length is None:
            if not line and self.process.poll() is not None:
                sys.exit("the server ended")
            if line.lower().startswith(b"content-length:"):
                length = int(line.split(b":")[1])
        return json.loads(self.process.stdout.read(length))

    def ask(self, method, params):
        self.number += 1
        self.send(method, params, id=self.number)
        return self.until(lambda message: message.get("id") == self.number)["result"]

    def diagnostics(self):
        wanted = "textDocument/publishDiagnostics"
        return self.until(lambda message: message.get("method") == wanted)["params"]["diagnostics"]

    def until(self, wanted):
        while not wanted(message := self.receive()):
            pass
        return message


def main(path):
    text = pathlib.Path(path).read_text()
    uri = "test:///session.mlir"
    lines = text.splitlines()

    def place(of, line_with):
        code = (i for i, l in enumerate(lines) if line_with in l and not l.lstrip().startswith("//"))
        line = next(code)
        at = {"line": line, "character": lines[line].index(of)}
        return {"textDocument": {"uri": uri}, "position": at}

    server = Server(["sinter-lsp-server"])
    server.ask("initialize", {"processId": None, "rootUri": None, "capabilities": {}})
    server.send("initialized", {})

    document = {"uri": uri, "languageId": "mlir", "version": 1, "text": text}
    server.send("textDocument/didOpen", {"textDocument": document})
    for diagnostic in server.diagnostics():
        print("diagnostic on line", diagnostic["range"]["start"]["line"] + 1, diagnostic["message"])

    corrected = text.replace("axis 1", "axis 0")
    server.send(
        "textDocument/didChange",
        {"textDocument": {"uri": uri, "version": 2}, "contentChanges": [{"text": corrected}]},
    )
    print("diagnostics after the change:", server.diagnostics())

    hover = server.ask("textDocument/hover", place("graph.relu", "graph.relu"))
    print("hover:", json.dumps(hover["contents"]["value"]))
    (found,) = server.ask("textDocument/definition", place("%positive", "graph.softmax"))
    start = found["range"]["start"]
    print("definition on line", start["line"] + 1, lines[start["line"]].strip())
    uses = server.ask(
        "textDocument/references",
        {**place("%positive", "graph.relu"), "context": {"includeDeclaration": True}},
    )
    print("named on lines", sorted({use["range"]["start"]["line"] + 1 for use in uses}))

    server.ask("shutdown", None)
    server.send("exit", None)
    print("exit code", server.process.wait())


main(sys.argv[1])
