import { forbidden, notFound } from '../../api/errors.ts'
import { isSignature } from '../../base/cipher.ts'
import type { World } from '../../world.ts'

/** The content of a link to a file. */
export interface FileLink {
  account: string
  execution: string
  /** When it expires, in seconds since 1970. */
  expires: number
}

const signed = ({ account, execution, expires }: FileLink): string =>
  JSON.stringify([account, execution, expires])

/** A signed link to a file. It needs no other credential. */
export function fileUrl(world: Pick<World, 'cipher' | 'publicUrl'>, link: FileLink): string {
  const query = new URLSearchParams({
    account: link.account,
    expires: String(link.expires),
    signature: world.cipher.mac('report-url', signed(link)).toString('base64url'),
  })
  return `${world.publicUrl}/report-executions/${link.execution}/file?${query}`
}

/** Throws 404 for a link with a wrong signature, and 403 for one that has expired. */
export function checkLink(world: Pick<World, 'cipher' | 'clock'>, link: FileLink, signature: string): void {
  if (!isSignature(world.cipher, 'report-url', signed(link), signature)) throw notFound()
  if (link.expires * 1_000 <= world.clock.now()) throw forbidden('The link has expired; ask for another one')
}

/** A file name that any file system accepts: `Sales, daily` of 22 November → `Sales-daily-2026-11-22.csv`. */
export function fileName(report: string, reference: string): string {
  const name = report
    .normalize('NFKD')
    .replace(/\p{M}/gu, '')
    .replace(/[^A-Za-z0-9]+/g, '-')
    .replace(/^-+|-+$/g, '')
    .slice(0, 60)
  return `${name || 'report'}-${reference.slice(0, 10)}.csv`
}
