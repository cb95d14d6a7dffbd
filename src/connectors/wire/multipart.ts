import { randomUUID } from 'node:crypto'
import type { Part } from './http-message.ts'

/** A `multipart/form-data` body (RFC 7578), and its media type with the boundary. */
export function multipartBody(parts: readonly Part[]): { type: string; bytes: Buffer } {
  const boundary = `railyard-${randomUUID()}`
  const pieces = parts.flatMap(({ name, content, file }) => [
    Buffer.from(`--${boundary}\r\n${disposition(name, file)}\r\n\r\n`),
    typeof content === 'string' ? Buffer.from(content) : content,
    Buffer.from('\r\n'),
  ])
  return {
    type: `multipart/form-data; boundary=${boundary}`,
    bytes: Buffer.concat([...pieces, Buffer.from(`--${boundary}--\r\n`)]),
  }
}

const disposition = (name: string, file: Part['file']): string => {
  const start = `Content-Disposition: form-data; name="${quoted(name)}"`
  // a media type has no line break, so that a file cannot add headers
  return file
    ? `${start}; filename="${quoted(file.name)}"\r\nContent-Type: ${file.type.replaceAll(/[\r\n]/g, '')}`
    : start
}

/** RFC 7578 §4.2 and the form encoding of HTML: quotes and line breaks are percent-encoded. */
const quoted = (text: string): string =>
  text.replaceAll('"', '%22').replaceAll('\r', '%0D').replaceAll('\n', '%0A')
