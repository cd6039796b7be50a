import { spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { writeFileSync } from 'node:fs'
import { connect } from 'node:net'
import { join } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import { findFreePort } from '@tallystick/workbench/free-port'
import { pinTo } from '../pin.ts'
import type { Site } from '../service.ts'

/** Whether nginx is installed. */
export const hasNginx = spawnSync('nginx', ['-v']).error === undefined

/** Starts nginx with TLS before each of these ports, and for a static file at `/static`, on the first core. */
export async function startNginx<Name extends string>(site: Site, upstreams: Readonly<Record<Name, number>>) {
  const { directory, ca } = site
  const servers = await Promise.all(
    Object.entries<number>(upstreams).map(async ([name, upstream]) => ({ name, upstream, port: await findFreePort() })),
  )
  const path = join(directory, 'nginx.conf')
  writeFileSync(path, `${commonOf(directory)}\n${servers.map((server) => serverOf(directory, server)).join('\n')}}\n`)
  const [command, ...words] = pinTo(0, ['nginx', '-p', directory, '-c', path])
  const child = spawn(command, words, { stdio: ['ignore', 'inherit', 'inherit'] })
  process.once('exit', () => child.kill('SIGKILL'))
  for (const { port } of servers) await untilOpen(port)
  const targets = Object.fromEntries(servers.map(({ name, port }) => [name, { port, ca }])) as Record<
    Name,
    { readonly port: number; readonly ca: string }
  >
  return { ...targets, child }
}

/** One process, as one core can run. Logs nothing. */
function commonOf(directory: string): string {
  return `daemon off;
master_process off;
worker_processes 1;
error_log ${directory}/nginx-errors.log;
pid ${directory}/nginx.pid;
events { worker_connections 1024; }
http {
  access_log off;
  keepalive_requests 1000000000;
  ssl_certificate ${directory}/cert.pem;
  ssl_certificate_key ${directory}/key.pem;
  client_body_temp_path ${directory}/nginx-body;
  proxy_temp_path ${directory}/nginx-proxy;
  fastcgi_temp_path ${directory}/nginx-fastcgi;
  uwsgi_temp_path ${directory}/nginx-uwsgi;
  scgi_temp_path ${directory}/nginx-scgi;`
}

function serverOf(
  directory: string,
  { name, upstream, port }: { readonly name: string; readonly upstream: number; readonly port: number },
): string {
  return `  upstream ${name} { server 127.0.0.1:${upstream}; keepalive 64; keepalive_requests 1000000000; }
  server {
    listen 127.0.0.1:${port} ssl;
    location = /static { alias ${directory}/static.json; default_type application/json; }
    location / {
      proxy_pass http://${name};
      proxy_http_version 1.1;
      proxy_set_header Connection "";
      proxy_set_header Host $host;
      proxy_set_header X-Forwarded-For $proxy_add_x_forwarded_for;
      proxy_set_header X-Forwarded-Proto $scheme;
    }
  }`
}

async function untilOpen(port: number): Promise<void> {
  for (;;) {
    const socket = connect({ port, host: '127.0.0.1' })
    const isOpen = await once(socket, 'connect').then(
      () => true,
      () => false,
    )
    socket.destroy()
    if (isOpen) return
    await wait(20)
  }
}
