import { spawn } from 'node:child_process';
import { createServer, type RequestListener } from 'node:http';
import { listenOn } from './listen.js';

/** Serves the git repositories in a folder with `git http-backend`, as hosts do. Requires the token. */
export interface GitServer {
  url: string;
  /** Method and path of each request. */
  requests: string[];
  close(): Promise<void>;
}

/** `delay`: milliseconds before each response. `readOnly`: refuses pushes with HTTP 403, as hosts do. */
export async function startGitServer(
  folder: string,
  {
    token = null,
    delay = 0,
    readOnly = false,
  }: { token?: string | null; delay?: number; readOnly?: boolean } = {},
): Promise<GitServer> {
  const requests: string[] = [];
  const answer: RequestListener = (request, response) => {
    const [, input = ''] = /^Basic (.*)$/.exec(request.headers.authorization ?? '') ?? [];
    if (token !== null && !Buffer.from(input, 'base64').toString().endsWith(`:${token}`)) {
      response.writeHead(401, { 'WWW-Authenticate': 'Basic realm="git"' }).end();
      return;
    }
    const { pathname, search } = new URL(request.url ?? '', 'http://host');
    requests.push(`${request.method} ${pathname}${search}`);
    if (readOnly && `${pathname}${search}`.includes('git-receive-pack'))
      return void response.writeHead(403).end('You are not allowed to push code to this project.');
    const env = {
      ...{ PATH: process.env.PATH, GIT_PROJECT_ROOT: folder, GIT_HTTP_EXPORT_ALL: '1', REMOTE_USER: 'ci' },
      ...{ PATH_INFO: pathname, QUERY_STRING: search.slice(1), REQUEST_METHOD: request.method },
      CONTENT_TYPE: request.headers['content-type'],
      HTTP_CONTENT_ENCODING: request.headers['content-encoding'],
      GIT_PROTOCOL: String(request.headers['git-protocol'] ?? ''),
    };
    const backend = spawn('git', ['http-backend'], { env, stdio: ['pipe', 'pipe', 'ignore'] });
    request.pipe(backend.stdin.on('error', () => undefined));
    const parts: Buffer[] = [];
    backend.stdout.on('data', (part: Buffer) => parts.push(part));
    backend.on('close', () => {
      const all = Buffer.concat(parts);
      const end = all.indexOf('\r\n\r\n');
      if (end < 0) return void response.destroy();
      let status = 200;
      for (const line of all.toString('latin1', 0, end).split('\r\n')) {
        const [name = '', value = ''] = line.split(': ', 2);
        if (name === 'Status') status = Number.parseInt(value, 10);
        else if (name !== '') response.setHeader(name, value);
      }
      response.writeHead(status);
      response.end(all.subarray(end + 4));
    });
  };
  const server = createServer((request, response) => {
    if (delay === 0) answer(request, response);
    else setTimeout(answer, delay, request, response);
  });
  return { ...(await listenOn(server)), requests };
}
