// Starts sinter-lsp-server for MLIR files.

const fs = require("fs");
const path = require("path");
const vscode = require("vscode");
const { LanguageClient } = require("vscode-languageclient/node");

const SERVER = "sinter-lsp-server";

let client;

/** The server's path: what is configured, the release build of the open folder, or the name alone. */
function server() {
  const folder = vscode.workspace.workspaceFolders?.[0]?.uri.fsPath ?? "";
  const configured = vscode.workspace.getConfiguration("sinter").get("server");
  if (configured) {
    return path.resolve(folder, configured);
  }
  const built = path.join(folder, "target", "release", SERVER);
  return fs.existsSync(built) ? built : SERVER;
}

async function start() {
  client = new LanguageClient(
    "sinter",
    "Sinter",
    { command: server() },
    { documentSelector: [{ language: "mlir" }] }
  );
  try {
    await client.start();
  } catch (error) {
    vscode.window.showErrorMessage(
      `${error}: build it (cargo build --release), or set 'sinter.server' to its path`
    );
  }
}

async function stop() {
  const running = client;
  client = undefined;
  await running?.stop();
}

exports.activate = async (context) => {
  const restart = async () => {
    await stop();
    await start();
  };
  context.subscriptions.push(vscode.commands.registerCommand("sinter.restart", restart));
  await start();
};

exports.deactivate = stop;
