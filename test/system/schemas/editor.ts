import { spawn } from 'node:child_process';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { isObject, type Json, type JsonObject } from '../../../src/model/json.js';

const SERVER = fileURLToPath(
  new URL('../../../node_modules/yaml-language-server/bin/yaml-language-server', import.meta.url),
);

/** An editor with one open document, speaking to the real yaml-language-server over its standard input and output. */
export interface Editor {
  open(text: string): Promise<JsonObject[]>;
  request(method: string, position: { line: number; character: number }): Promise<Json>;
  close(): void;
}

/** Starts the server for a document of this name; offline, so a schema can come from a file only. */
export function startEditor(file: string): Editor {
  const child = spawn(process.execPath, [SERVER, '--stdio'], { stdio: ['pipe', 'pipe', 'ignore'] });
  const uri = pathToFileURL(file).href;
  const waiting = new Map<string, (value: Json) => void>();
  let version = 0;
  let buffer = Buffer.alloc(0);

  const send = (message: JsonObject) => {
    const text = JSON.stringify({ jsonrpc: '2.0', ...message });
    child.stdin.write(`Content-Length: ${Buffer.byteLength(text)}\r\n\r\n${text}`);
  };
  const answer = (key: string) => new Promise<Json>((resolve) => waiting.set(key, resolve));
  const resolveWaiting = (key: string, value: Json) => {
    waiting.get(key)?.(value);
    waiting.delete(key);
  };
  const receive = (message: JsonObject) => {
    const { method, id, params, result } = message;
    if (method === 'workspace/configuration') {
      const settings = { validate: true, completion: true, hover: true, schemaStore: { enable: false } };
      send({
        id: id ?? null,
        result: sections(params).map((section) => (section === 'yaml' ? settings : null)),
      });
    } else if (method === 'textDocument/publishDiagnostics' && isObject(params)) {
      resolveWaiting(`diagnostics ${params.version ?? version}`, params.diagnostics ?? []);
    } else if (method !== undefined && id !== undefined) send({ id, result: null });
    else if (id !== undefined) resolveWaiting(`answer ${id}`, result ?? null);
  };
  child.stdout.on('data', (chunk: Buffer) => {
    buffer = Buffer.concat([buffer, chunk]);
    for (;;) {
      const head = buffer.indexOf('\r\n\r\n');
      const length = Number(
        /Content-Length: (\d+)/.exec(buffer.subarray(0, Math.max(head, 0)).toString())?.[1],
      );
      if (head < 0 || buffer.length < head + 4 + length) return;
      const text = buffer.subarray(head + 4, head + 4 + length).toString();
      buffer = buffer.subarray(head + 4 + length);
      receive(JSON.parse(text));
    }
  });

  let requests = 0;
  const ask = (method: string, params: JsonObject) => {
    requests += 1;
    const answered = answer(`answer ${requests}`);
    send({ id: requests, method, params });
    return answered;
  };
  const ready = ask('initialize', {
    processId: process.pid,
    rootUri: null,
    capabilities: { workspace: { configuration: true }, textDocument: { completion: {}, hover: {} } },
  }).then(() => send({ method: 'initialized', params: {} }));

  return {
    async open(text) {
      await ready;
      version += 1;
      const published = answer(`diagnostics ${version}`);
      const textDocument = { uri, languageId: 'yaml', version };
      if (version === 1)
        send({ method: 'textDocument/didOpen', params: { textDocument: { ...textDocument, text } } });
      else send({ method: 'textDocument/didChange', params: { textDocument, contentChanges: [{ text }] } });
      const diagnostics = await published;
      return Array.isArray(diagnostics) ? diagnostics.filter(isObject) : [];
    },
    request: (method, position) => ask(method, { textDocument: { uri }, position }),
    close: () => void child.kill(),
  };
}

function sections(params: Json | undefined): Json[] {
  const items = isObject(params) ? params.items : null;
  return Array.isArray(items) ? items.map((item) => (isObject(item) ? (item.section ?? null) : null)) : [];
}
