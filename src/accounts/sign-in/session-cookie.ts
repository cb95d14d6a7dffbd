import type { FastifyReply, FastifyRequest } from 'fastify'

/**
 * Whether browsers reach this server without TLS, on its own machine. A browser would drop a `Secure` cookie
 * there.
 */
function isPlainLoopback(publicUrl: string): boolean {
  const { protocol, hostname } = new URL(publicUrl)
  return (
    protocol === 'http:' &&
    (hostname === 'localhost' || hostname === '[::1]' || /^127(?:\.\d{1,3}){3}$/.test(hostname))
  )
}

/**
 * With the prefix `__Host-` the browser takes the cookie from this host over TLS only, so that no sister
 * domain can plant one (RFC 6265bis §4.1.3.2).
 */
const sessionCookie = (publicUrl: string) =>
  isPlainLoopback(publicUrl)
    ? {
        name: 'railyard_session',
        options: { httpOnly: true, sameSite: 'strict', path: '/', secure: false } as const,
      }
    : {
        name: '__Host-railyard_session',
        options: { httpOnly: true, sameSite: 'strict', path: '/', secure: true } as const,
      }

/** The session's token in the request's cookies; undefined: there is none. */
export const sessionToken = (publicUrl: string, { cookies }: FastifyRequest): string | undefined =>
  cookies[sessionCookie(publicUrl).name]

/** Sets the cookie without an age: it goes with the browser, or when the session ends. */
export function setSessionCookie(publicUrl: string, reply: FastifyReply, token: string): void {
  const { name, options } = sessionCookie(publicUrl)
  reply.setCookie(name, token, options)
}

export function clearSessionCookie(publicUrl: string, reply: FastifyReply): void {
  const { name, options } = sessionCookie(publicUrl)
  reply.clearCookie(name, options)
}
