import { Type } from 'typebox'
import { enterAccountTime } from '../accounts/merchant-accounts/account-clock.store.ts'
import type { App } from '../api/app.ts'
import { limitRate } from '../api/auth/rate-limit.ts'
import { badRequest, notFound } from '../api/errors.ts'
import { clientAddress, networkOf } from '../api/request/client-address.ts'
import type { Routes } from '../api/routes.ts'
import { Words } from '../api/schema.ts'
import { isSignature } from '../base/cipher.ts'
import { hostedPageNames } from '../page/hosted-page.ts'
import { readBrowserReports } from './browser-report.ts'
import { recordFinding } from './page-incident.store.ts'

const params = Type.Object({
  merchant_account_id: Type.String(),
  page: Words(...hostedPageNames),
  proof: Type.String(),
})
const rate = { limit: 50, message: 'Too many reports' }

/** The types of a report's body: of the Reporting API, of CSP Level 2, and of browsers that say neither. */
const contentTypes = ['application/reports+json', 'application/csp-report', 'application/json']

/**
 * Where browsers report what the policy of a hosted page has blocked (PCI DSS 4.0.1, 11.6.1). The URL is in the
 * headers of the page, so anyone who opens the page can send reports: they open incidents for a person to look
 * at, and change nothing else.
 */
export const browserReportRoutes: Routes = (app, world) => {
  app.register(async (plugin) => {
    const scope = plugin as unknown as App
    scope.removeAllContentTypeParsers()
    scope.addContentTypeParser(contentTypes, { parseAs: 'string' }, (_request, body, done) => {
      try {
        done(null, JSON.parse(String(body)))
      } catch {
        done(badRequest('The report is not JSON'))
      }
    })
    scope.post(
      '/browser-reports/:merchant_account_id/:page/:proof',
      { config: { scopes: 'public' }, schema: { hide: true, params } },
      async (request, reply) => {
        const { merchant_account_id: account, page, proof } = request.params
        if (!isSignature(world.cipher, 'browser-report', `${account}/${page}`, proof)) throw notFound()
        const key = `browser-reports/${account}/${networkOf(clientAddress(request))}`
        reply.headers(await limitRate(world.run, world.machineClock, key, rate))
        const reports = readBrowserReports(request.body)
        if (!reports) throw badRequest('The body is no report of a browser')
        await enterAccountTime(world, account)
        const distinct = new Map(reports.map((report) => [`${report.kind} ${report.subject}`, report]))
        for (const report of distinct.values()) await recordFinding(world, { account, page, ...report })
        return reply.code(204).send()
      },
    )
  })
}
