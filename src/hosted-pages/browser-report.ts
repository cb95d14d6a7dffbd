import { isJsonObject } from '../api/values/json-object.ts'
import type { PageIncidentKind } from './page-incident.schema.ts'

/** What a browser has blocked on a page. */
export interface BrowserReport {
  kind: PageIncidentKind
  subject: string
}

/** A browser sends what it has gathered in a minute or so. */
const MAX_REPORTS = 50

/** The kind of an incident by the directive of the policy that was violated (CSP Level 3, §6). */
const kindByDirective = new Map<string, PageIncidentKind>([
  ['script-src', 'script'],
  ['script-src-elem', 'script'],
  ['script-src-attr', 'script'],
  ['worker-src', 'script'],
  ['require-trusted-types-for', 'script'],
  ['trusted-types', 'script'],
  ['style-src', 'style'],
  ['style-src-elem', 'style'],
  ['style-src-attr', 'style'],
  ['connect-src', 'connection'],
  ['form-action', 'form'],
  ['frame-src', 'frame'],
  ['child-src', 'frame'],
  ['img-src', 'resource'],
  ['font-src', 'resource'],
  ['media-src', 'resource'],
  ['object-src', 'resource'],
  ['manifest-src', 'resource'],
  ['default-src', 'resource'],
  ['base-uri', 'base'],
  ['frame-ancestors', 'embedding'],
])

/** What `blocked-uri` may say in place of a URL (CSP Level 3, §5.3). */
const keywords = new Set(['inline', 'eval', 'wasm-eval', 'data', 'blob', 'self', 'trusted-types-sink'])

/** Extensions of the buyer's own browser change pages without the merchant's or Railyard's doing. */
const extension = /^(?:chrome|moz|safari-web|safari|ms-browser)-extension(?::|$)/

/**
 * Reads the body of a report: a list of the Reporting API (`csp-violation`, `integrity-violation`), or one
 * `csp-report` of CSP Level 2. Undefined: it is neither. Reports of other types, of unknown directives and
 * about extensions are left out. Only origins are kept of URLs: their paths may hold credentials.
 */
export function readBrowserReports(body: unknown): BrowserReport[] | undefined {
  if (isJsonObject(body)) {
    const report = body['csp-report']
    return isJsonObject(report)
      ? violation(report['effective-directive'] ?? report['violated-directive'], {
          blocked: report['blocked-uri'],
          source: report['source-file'],
        })
      : undefined
  }
  if (!Array.isArray(body)) return undefined
  return body.slice(0, MAX_REPORTS).flatMap((report) => {
    if (!isJsonObject(report) || !isJsonObject(report['body'])) return []
    const { effectiveDirective, blockedURL, sourceFile } = report['body']
    if (report['type'] === 'csp-violation')
      return violation(effectiveDirective, { blocked: blockedURL, source: sourceFile })
    if (report['type'] === 'integrity-violation') return found('integrity', blockedURL)
    return []
  })
}

function violation(
  directive: unknown,
  { blocked, source }: { blocked: unknown; source: unknown },
): BrowserReport[] {
  // CSP Level 2 names the directive with its values
  const kind = typeof directive === 'string' ? kindByDirective.get(directive.split(' ')[0] ?? '') : undefined
  if (!kind || (typeof source === 'string' && extension.test(source))) return []
  return found(kind, blocked)
}

function found(kind: PageIncidentKind, blocked: unknown): BrowserReport[] {
  if (typeof blocked !== 'string' || extension.test(blocked)) return []
  return [{ kind, subject: subjectOf(blocked) }]
}

function subjectOf(blocked: string): string {
  if (keywords.has(blocked)) return blocked
  const { protocol, origin } = URL.canParse(blocked) ? new URL(blocked) : { protocol: '', origin: '' }
  return /^(?:https?|wss?):$/.test(protocol) && origin.length <= 300 ? origin : 'other'
}
