import type { FastifyReply, FastifyRequest } from 'fastify'

/** Whether a browser speaks to us without TLS, on the machine itself: there alone it keeps the cookie without `Secure`. */
function isPlainLoopback(publicUrl: string): boolean {
  const { protocol, hostname } = new URL(publicUrl)
  return protocol === 'http:' && (hostname === 'localhost' || hostname === '[::1]' || /^127(?:\.\d{1,3}){3}$/.test(hostname))
}

/** `__Host-`: the browser takes it over TLS only, from this host and for all of it, so that no sister domain can plant one (RFC 6265bis §4.1.3.2). */
const sessionCookie = (publicUrl: string) =>
  isPlainLoopback(publicUrl)
    ? { name: 'railyard_session', options: { httpOnly: true, sameSite: 'strict', path: '/', secure: false } as const }
    : { name: '__Host-railyard_session', options: { httpOnly: true, sameSite: 'strict', path: '/', secure: true } as const }

/** What the browser was given when somebody signed in; undefined: nothing. */
export const sessionToken = (publicUrl: string, { cookies }: FastifyRequest): string | undefined => cookies[sessionCookie(publicUrl).name]

/** Without an age: it goes with the browser, or when the session ends. */
export function setSessionCookie(publicUrl: string, reply: FastifyReply, token: string): void {
  const { name, options } = sessionCookie(publicUrl)
  reply.setCookie(name, token, options)
}

export function clearSessionCookie(publicUrl: string, reply: FastifyReply): void {
  const { name, options } = sessionCookie(publicUrl)
  reply.clearCookie(name, options)
}
