import { forbidden, notFound } from '../../api/errors.ts'
import { isSignature } from '../../base/cipher.ts'
import type { World } from '../../world.ts'

/** What a link to a file says: of which execution, and until when it is good, in seconds since 1970. */
export interface FileLink {
  account: string
  execution: string
  expires: number
}

const signed = ({ account, execution, expires }: FileLink): string => JSON.stringify([account, execution, expires])

/** Whoever has the link has the file. */
export function fileUrl(world: Pick<World, 'cipher' | 'publicUrl'>, link: FileLink): string {
  const query = new URLSearchParams({
    account: link.account,
    expires: String(link.expires),
    signature: world.cipher.mac('report-url', signed(link)).toString('base64url'),
  })
  return `${world.publicUrl}/report-executions/${link.execution}/file?${query}`
}

/** 404 where we have not signed the link, 403 where its time is over. */
export function checkLink(world: Pick<World, 'cipher' | 'clock'>, link: FileLink, signature: string): void {
  if (!isSignature(world.cipher, 'report-url', signed(link), signature)) throw notFound()
  if (link.expires * 1_000 <= world.clock.now()) throw forbidden('The link has expired; ask for another one')
}

/** A name that any file system takes: `Sales, daily` of 22 November → `Sales-daily-2026-11-22.csv`. */
export function fileName(report: string, reference: string): string {
  const name = report
    .normalize('NFKD')
    .replace(/\p{M}/gu, '')
    .replace(/[^A-Za-z0-9]+/g, '-')
    .replace(/^-+|-+$/g, '')
    .slice(0, 60)
  return `${name || 'report'}-${reference.slice(0, 10)}.csv`
}
