import { Server as HttpServer } from 'node:http';
import type { AddressInfo, Server } from 'node:net';

/** Opens a server on this loopback port, by default a free one. `close` also closes the connections of an HTTP server. */
export async function listenOn(server: Server, wanted = 0) {
  await new Promise<void>((resolve) => server.listen(wanted, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  return {
    port,
    url: `http://127.0.0.1:${port}`,
    close: () =>
      new Promise<void>((resolve) => {
        server.close(() => resolve());
        if (server instanceof HttpServer) server.closeAllConnections();
      }),
  };
}
