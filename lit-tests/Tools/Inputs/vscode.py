"""Checks the VS Code extension without VS Code: its files are there and read, its patterns compile, and its script starts a
client for the server that is configured, built or on PATH (with stand-ins for VS Code's modules, where there is node)."""

import json
import pathlib
import re
import shutil
import subprocess
import sys

STAND_INS = """
const Module = require("module");
const load = Module._load;
const built = process.argv[2];
let configured = "";
const stand_ins = {
  vscode: {
    workspace: {
      workspaceFolders: [{ uri: { fsPath: built } }],
      getConfiguration: () => ({ get: () => configured }),
    },
    window: { showErrorMessage: (text) => console.log("error:", text) },
    commands: { registerCommand: (name, run) => ({ name, run }) },
  },
  "vscode-languageclient/node": {
    LanguageClient: class {
      constructor(id, name, server, client) {
        console.log("client", id, server.command.replace(built, "FOLDER"), JSON.stringify(client.documentSelector));
      }
      async start() {}
      async stop() { console.log("stopped"); }
    },
  },
};
Module._load = (name, ...rest) => stand_ins[name] ?? load(name, ...rest);
const extension = require(process.argv[3]);
(async () => {
  const context = { subscriptions: [] };
  await extension.activate(context);
  configured = "bin/own-lsp-server";
  await context.subscriptions[0].run();
  await extension.deactivate();
})();
"""


def main(folder):
    folder = pathlib.Path(folder)
    package = json.loads((folder / "package.json").read_text())
    contributes = package["contributes"]
    (language,), (grammar,) = contributes["languages"], contributes["grammars"]
    for path in (package["main"], language["configuration"], grammar["path"]):
        print(path, "is there" if (folder / path).exists() else "is missing")
    re.compile(json.loads((folder / language["configuration"]).read_text())["wordPattern"])
    for pattern in json.loads((folder / grammar["path"]).read_text())["patterns"]:
        re.compile(pattern["match"])
    if node := shutil.which("node"):
        root, script = folder.parents[1], folder / package["main"]
        sys.stdout.flush()
        subprocess.run([node, "-", root, script], input=STAND_INS, text=True, check=True)
    else:
        print("node is not there\nnode is not there")


main(sys.argv[1])
