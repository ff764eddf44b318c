/** Unit tests must not start programs or open ports; tests that do are named `*.system.test.ts`. */
import { ChildProcess } from 'node:child_process';
import { Server, Socket } from 'node:net';

function refuse(): never {
  throw new Error('A unit test starts no program and opens no port: name its file *.system.test.ts.');
}
Object.assign(ChildProcess.prototype, { spawn: refuse });
Object.assign(Server.prototype, { listen: refuse });
Object.assign(Socket.prototype, { connect: refuse });
