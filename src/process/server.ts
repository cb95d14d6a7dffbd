import cookie from '@fastify/cookie'
import Fastify, { type FastifyBaseLogger, type FastifyInstance, LogController } from 'fastify'
import { apiKeyPairRoutes } from '../accounts/api-keys/api-key-pair.routes.ts'
import { findSigningKey, makeKeyUsageRecorder } from '../accounts/api-keys/signing-key.ts'
import { auditLogRoutes } from '../accounts/audit-log/audit-log.routes.ts'
import { movedClocks } from '../accounts/merchant-accounts/account-clock.store.ts'
import { merchantAccountRoutes } from '../accounts/merchant-accounts/merchant-account.routes.ts'
import { cachedMerchantAccount } from '../accounts/merchant-accounts/merchant-account.store.ts'
import { roleRoutes } from '../accounts/roles/role.routes.ts'
import { identifyBySessionOrBearer } from '../accounts/sign-in/session-caller.ts'
import { signInRoutes } from '../accounts/sign-in/sign-in.routes.ts'
import { invitationRoutes } from '../accounts/users/invitation.routes.ts'
import { ownUserRoutes } from '../accounts/users/own-user.routes.ts'
import { userRoutes } from '../accounts/users/user.routes.ts'
import { antiFraudServiceRoutes } from '../anti-fraud/anti-fraud-service.routes.ts'
import { antiFraudDefinitionRoutes } from '../anti-fraud/definition.routes.ts'
import { createAuthentication, identifyByBearer } from '../api/auth/caller.ts'
import { tokenVerifier } from '../api/auth/token.ts'
import { badRequest, duplicateMembers, noSuchPath, serviceUnavailable } from '../api/errors.ts'
import { documentApi } from '../api/openapi/openapi.ts'
import { referencePages } from '../api/openapi/reference-pages.ts'
import { loggedUrl, withoutCardNumbers } from '../api/request/redact-url.ts'
import { provideRequestContext } from '../api/request/request-context.ts'
import type { App, Routes } from '../api/routes.ts'
import { shedLoad } from '../api/server/admission.ts'
import { endUnusedConnections, keepAlive } from '../api/server/connections.ts'
import { allowBrowsers } from '../api/server/cors.ts'
import {
  answerError,
  answerUnreadableRequest,
  collectAllowedMethods,
  handleErrors,
  refuseExpectation,
  refuseMissingHost,
} from '../api/server/error-handler.ts'
import { hasDuplicateMembers } from '../api/server/json-members.ts'
import { protectAnswer } from '../api/server/protect-answer.ts'
import { refuseUnknownParameters } from '../api/server/query-parameters.ts'
import { refuseMisspeltHeaders } from '../api/server/request-headers.ts'
import { serializerCompiler } from '../api/server/serialization.ts'
import { validatorCompiler } from '../api/server/validation.ts'
import { hideCredentials } from '../api/visibility/hide-credentials.ts'
import { hidePersonalData } from '../api/visibility/personal-data.ts'
import { recoverOperation } from '../background/recover-operation.ts'
import { buyerRoutes } from '../buyers/buyer.routes.ts'
import { shippingDetailsRoutes } from '../buyers/shipping-details.routes.ts'
import { cardDetailsRoutes } from '../checkout/cards/card-details.routes.ts'
import { appleDomainRoutes } from '../checkout/digital-wallets/apple-domain.ts'
import { applePayCertificateRoutes } from '../checkout/digital-wallets/apple-pay-certificate.routes.ts'
import { digitalWalletRoutes } from '../checkout/digital-wallets/digital-wallet.routes.ts'
import { walletSessionRoutes } from '../checkout/digital-wallets/wallet-session.routes.ts'
import { paymentOptionRoutes } from '../checkout/payment-options/payment-option.routes.ts'
import { checkoutSessionRoutes } from '../checkout/sessions/checkout-session.routes.ts'
import { sessionFieldsRoutes } from '../checkout/sessions/session-fields.routes.ts'
import { storedMethodRoutes } from '../checkout/stored-methods/stored-methods.routes.ts'
import { applyEmbedConstraints } from '../embed/constrain-browsers.ts'
import { webhookDeliveryRoutes } from '../events/delivery/webhook-delivery.routes.ts'
import { eventFeedRoutes } from '../events/feed/event-feed.routes.ts'
import { webhookSubscriptionRoutes } from '../events/subscriptions/webhook-subscription.routes.ts'
import { buyerGiftCardRoutes } from '../gift-cards/buyer-gift-card.routes.ts'
import { giftCardRoutes } from '../gift-cards/gift-card.routes.ts'
import { giftCardServiceRoutes } from '../gift-cards/services/gift-card-service.routes.ts'
import { explorerRoutes } from '../insights/explorer.routes.ts'
import { presetRoutes } from '../insights/preset.routes.ts'
import { incidentRoutes } from '../monitoring/incident.routes.ts'
import { metricRoutes } from '../monitoring/metric.routes.ts'
import { countRequest } from '../observability/count-request.ts'
import { healthRoutes } from '../observability/health.routes.ts'
import { requestLogger } from '../observability/log.ts'
import { metricsRoutes } from '../observability/metrics.routes.ts'
import { isPayPageRequest, payPageRoutes, showUnknownLink } from '../payment-links/page/page.routes.ts'
import { payRoutes } from '../payment-links/page/pay.routes.ts'
import { paymentLinkRoutes } from '../payment-links/payment-link.routes.ts'
import { connectionRoutes } from '../payment-services/connection.routes.ts'
import { definitionRoutes } from '../payment-services/definitions/definition.routes.ts'
import { paymentServiceHealthRoutes } from '../payment-services/health/payment-service-health.routes.ts'
import { paymentServiceRoutes } from '../payment-services/payment-service.routes.ts'
import { paymentServiceTokenRoutes } from '../payment-services/tokens/payment-service-token.routes.ts'
import { payoutRoutes } from '../payouts/payout.routes.ts'
import { erasureRoutes } from '../privacy/erasure.routes.ts'
import { specialMasks } from '../privacy/masks.ts'
import { settlementRoutes } from '../reconciliation/settlement.routes.ts'
import { unmatchedLineRoutes } from '../reconciliation/unmatched-line.routes.ts'
import { reportExecutionRoutes } from '../reports/executions/execution.routes.ts'
import { reportFileRoutes } from '../reports/executions/file.routes.ts'
import { reportRoutes } from '../reports/report.routes.ts'
import { replayRoutes } from '../routing/replay/replay.routes.ts'
import { ruleRoutes } from '../routing/rules/rule.routes.ts'
import { ruleDraftRoutes } from '../routing/rules/rule-draft.routes.ts'
import { clockRoutes } from '../sandbox/clock/clock.routes.ts'
import { walletDeviceRoutes } from '../sandbox/devices/device.routes.ts'
import { faultRoutes } from '../sandbox/faults/fault.routes.ts'
import { pageRoutes } from '../sandbox/page/page.routes.ts'
import { simulateRoutes } from '../sandbox/simulate/simulate.routes.ts'
import { threeDSConfigurationRoutes } from '../three-d-secure/configuration.routes.ts'
import { threeDSScenarioRoutes } from '../three-d-secure/scenario.routes.ts'
import { actionRoutes } from '../transactions/actions/action.routes.ts'
import { approvalSessionRoutes } from '../transactions/approval/approval-session.routes.ts'
import { challengeRoutes } from '../transactions/approval/challenge.routes.ts'
import { returnRoutes } from '../transactions/approval/return.routes.ts'
import { notificationRoutes } from '../transactions/outcome/notification.routes.ts'
import { reviewNotificationRoutes } from '../transactions/review/review-notification.routes.ts'
import { transactionRoutes } from '../transactions/transaction.routes.ts'
import { captureRoutes } from '../transactions/views/capture.routes.ts'
import { refundRoutes } from '../transactions/views/refund.routes.ts'
import { ruleActionRoutes } from '../transactions/views/rule-action.routes.ts'
import { timelineRoutes } from '../transactions/views/timeline.routes.ts'
import { accountUpdaterRoutes } from '../vault/account-updater/account-updater.routes.ts'
import { networkTokenRoutes } from '../vault/network-tokens/network-token.routes.ts'
import { networkTokenNotificationRoutes } from '../vault/network-tokens/network-token-notification.routes.ts'
import { vaultDefinitionRoutes } from '../vault/payment-methods/definition.routes.ts'
import { paymentMethodRoutes } from '../vault/payment-methods/payment-method.routes.ts'
import type { World } from '../world.ts'

const resources: readonly Routes[] = [
  merchantAccountRoutes,
  signInRoutes,
  invitationRoutes,
  ownUserRoutes,
  userRoutes,
  roleRoutes,
  apiKeyPairRoutes,
  auditLogRoutes,
  threeDSConfigurationRoutes,
  threeDSScenarioRoutes,
  buyerRoutes,
  shippingDetailsRoutes,
  erasureRoutes,
  definitionRoutes,
  paymentServiceRoutes,
  paymentServiceHealthRoutes,
  connectionRoutes,
  giftCardServiceRoutes,
  antiFraudServiceRoutes,
  antiFraudDefinitionRoutes,
  giftCardRoutes,
  buyerGiftCardRoutes,
  payoutRoutes,
  transactionRoutes,
  approvalSessionRoutes,
  returnRoutes,
  challengeRoutes,
  actionRoutes,
  captureRoutes,
  refundRoutes,
  timelineRoutes,
  ruleActionRoutes,
  replayRoutes,
  eventFeedRoutes,
  webhookSubscriptionRoutes,
  webhookDeliveryRoutes,
  settlementRoutes,
  unmatchedLineRoutes,
  notificationRoutes(recoverOperation),
  reviewNotificationRoutes,
  digitalWalletRoutes,
  applePayCertificateRoutes,
  walletSessionRoutes,
  appleDomainRoutes,
  vaultDefinitionRoutes,
  cardDetailsRoutes,
  checkoutSessionRoutes,
  sessionFieldsRoutes,
  paymentOptionRoutes,
  storedMethodRoutes,
  paymentMethodRoutes,
  accountUpdaterRoutes,
  networkTokenRoutes,
  paymentServiceTokenRoutes,
  networkTokenNotificationRoutes,
  ruleRoutes,
  ruleDraftRoutes,
  paymentLinkRoutes,
  payPageRoutes,
  payRoutes,
  reportRoutes,
  reportExecutionRoutes,
  reportFileRoutes,
  metricRoutes,
  incidentRoutes,
  explorerRoutes,
  presetRoutes,
]

const MAX_BODY = 1024 * 1024
/** Whoever sends one of these has shown no bearer: all that it costs to read is free to them. */
const MAX_PUBLIC_BODY = 128 * 1024
const MAX_URL_PARAMETER = 512
/** Node's own 16 KiB are less than a browser's token with a cart takes (`MAX_TOKEN_LENGTH`) beside the other headers. */
const MAX_HEADERS = 32 * 1024

/** Assembles the HTTP server. `simulatorUrl` is there in the sandbox only. It does not listen yet. */
export async function buildServer(world: World, simulatorUrl: string | undefined): Promise<App> {
  const loggerInstance: FastifyBaseLogger = world.log
  const { keepAliveTimeout, keepAliveTimeoutBuffer } = keepAlive(world.settings.stopDelay)
  const app = Fastify({
    loggerInstance,
    logController: new LogController({ disableRequestLogging: true, requestIdLogLabel: 'request' }),
    childLoggerFactory: requestLogger,
    http: { maxHeaderSize: MAX_HEADERS, requireHostHeader: false, keepAliveTimeoutBuffer },
    bodyLimit: MAX_BODY,
    trustProxy: (_address, hop) => hop < world.settings.trustedProxies,
    routerOptions: { maxParamLength: MAX_URL_PARAMETER, ignoreTrailingSlash: true },
    genReqId: ({ headers }) => clientRequestId(headers['x-request-id']) ?? world.ids.next(),
    frameworkErrors: (error, request, reply) => {
      protectAnswer(reply.header('x-request-id', request.id))
      void (isPayPageRequest(request) ? showUnknownLink(world, request, reply) : answerError(error, request, reply))
    },
    clientErrorHandler: answerUnreadableRequest,
    forceCloseConnections: 'idle',
    // what arrives on a connection that is there is still carried out
    return503OnClosing: false,
    requestTimeout: 60_000,
    keepAliveTimeout,
  })
  app.server.on('checkExpectation', refuseExpectation)
  endUnusedConnections(app as unknown as App)
  app.setValidatorCompiler(validatorCompiler)
  app.setSerializerCompiler(serializerCompiler)
  // a session exchange may bring a body with GET, too
  app.addHttpMethod('GET', { hasBody: true, overrideExisting: true })
  acceptJsonOnly(app)
  handleErrors(app, world.settings.role)
  app.addHook('onRoute', (route) => {
    if (route.config?.scopes === 'public') route.bodyLimit ??= MAX_PUBLIC_BODY
  })
  const methods = collectAllowedMethods(app)
  await world.tracing.traceRequests(app)
  await allowBrowsers(app)
  shedLoad(app, world)
  await app.register(cookie)

  const directory = { accountExists: async (id: string) => (await cachedMerchantAccount(world, id)) !== undefined }
  const verify = tokenVerifier(world.machineClock, (kid) => findSigningKey(world, kid), world.settings.longestTokenLife)
  const authenticate = createAuthentication(identifyBySessionOrBearer(world, identifyByBearer(verify)), directory)
  const noteUse = makeKeyUsageRecorder(world)
  app.decorateRequest('account', '')
  app.addHook('onRequest', async (request, reply) => {
    reply.header('x-request-id', request.id)
    if (request.routeOptions.config.scopes !== 'public' && world.isDatabaseUnavailable()) throw serviceUnavailable('the database does not answer')
    refuseMissingHost(request)
    refuseMisspeltHeaders(request.raw)
    // before a body is read that nothing asks for
    if (request.is404) throw noSuchPath(world.settings.role)
    await authenticate(request)
    if (request.caller?.actor.type === 'api-key-pair') noteUse(request.caller.actor.id)
  })
  // also to what came before the stop: whoever keeps this connection would send the next request to a process that is gone
  app.addHook('onSend', (_request, reply, payload, done) => {
    if (world.stopping) reply.header('connection', 'close')
    protectAnswer(reply)
    done(null, payload)
  })
  provideRequestContext(app as unknown as App, () => movedClocks(world))
  refuseUnknownParameters(app as unknown as App)
  hidePersonalData(app as unknown as App, specialMasks(['restricted']))
  hideCredentials(app as unknown as App)
  applyEmbedConstraints(app as unknown as App, world)
  app.addHook('onResponse', async (request, reply) => {
    countRequest(world, request, reply)
    // thousands in a second, and each line would cost more than the answer
    if (request.isShed) return
    request.log.info(
      {
        method: request.method,
        url: loggedUrl(request),
        status: reply.statusCode,
        ms: Math.round(reply.elapsedTime * 10) / 10,
        account: request.account || undefined,
        actor: request.caller?.actor.id,
        actor_type: request.caller?.actor.type,
        transaction: request.context?.transaction,
      },
      'request',
    )
  })

  const isAsked = world.settings.role !== 'worker'
  if (isAsked) {
    await documentApi(app)
    await app.register(documentationPages)
  }
  const sandboxRoutes = simulatorUrl
    ? [clockRoutes, faultRoutes(simulatorUrl), simulateRoutes(simulatorUrl), pageRoutes(simulatorUrl), walletDeviceRoutes]
    : []
  for (const routes of [healthRoutes(simulatorUrl), metricsRoutes, ...(isAsked ? [...resources, ...sandboxRoutes] : [])])
    routes(app as unknown as App, world)
  methods.refuseOtherMethods()
  await app.ready()
  return app as unknown as App
}

/** The pages that `/openapi.json` is read on. They need no bearer. */
async function documentationPages(app: FastifyInstance) {
  // the pages take the host header for one
  app.addHook('onRequest', async ({ host }) => {
    if (!URL.canParse(`http://${host}`)) throw badRequest('The host header does not name a host')
  })
  referencePages(app)
}

const requestId = /^[A-Za-z0-9._-]{1,100}$/

/** The caller's own name for the request, where a log may hold it. */
const clientRequestId = (given: unknown): string | undefined =>
  typeof given === 'string' && requestId.test(given) && withoutCardNumbers(given) === given ? given : undefined

/** Many clients send a JSON content type with an empty body where there is nothing to say. Operations that need one still refuse it. */
function acceptJsonOnly(app: FastifyInstance) {
  app.removeContentTypeParser('text/plain')
  const parse = app.getDefaultJsonParser('error', 'error')
  app.decorateRequest('text', '')
  app.addContentTypeParser('application/json', { parseAs: 'string' }, (request, body: string, done) => {
    if (request.routeOptions.config.keepsText) request.text = body
    if (body === '') return done(null, undefined)
    parse(request, body, (error: Error | null, parsed?: unknown) => {
      done(error ?? (hasDuplicateMembers(body, parsed) ? duplicateMembers() : null), parsed)
    })
  })
}
