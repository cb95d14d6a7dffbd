import { authRateMetric } from '../../domains/monitoring.ts'
import { transactionsReport } from '../../domains/reports.ts'
import { scenarioOf } from '../../domains/three-d-secure-configuration.ts'
import { type Audited, type AuditKit, configurationOf, hook, inactivePolicy, question } from './kit.ts'

/** Requests of what belongs to the account: people, keys, webhooks, reports, metrics and the sandbox. */
export const accountRequests = ({
  changesNothing,
  configuration,
  fresh,
  incident,
  keyPair,
  made,
  metric,
  newUser,
  nothing,
  on,
  operation,
  own,
  pageIncident,
  pair,
  policy,
  preset,
  presets,
  proposal,
  authorized,
  savedView,
  spendingLimit,
  spendingLimitOf,
  view,
  railyard,
  scenario,
  shop,
  sold,
  subscription,
  user,
  wallet,
}: AuditKit): Record<string, Audited> => ({
  create_user: operation(['created user'], () => ['/users', newUser()]),
  update_user: on('updated user', user, '', { name: 'Tess D.' }),
  delete_user: on('deleted user', user),
  create_user_invitation: on('updated user', user, '/invitation'),
  create_merchant_account: operation(['created merchant-account'], () => [
    '/merchant-accounts',
    { id: fresh('m').slice(0, 50), display_name: 'Another' },
  ]),
  update_merchant_account: operation(['updated merchant-account'], () => [own, { display_name: 'Renamed' }]),
  create_three_ds_configuration: operation(['created merchant-account.three-ds-configuration'], () => [
    `${own}/three-ds-configurations`,
    configurationOf(fresh('order')),
  ]),
  edit_three_ds_configuration: on('updated merchant-account.three-ds-configuration', configuration, '', {
    merchant_name: 'Renamed',
  }),
  delete_three_ds_configuration: on('deleted merchant-account.three-ds-configuration', configuration),
  create_three_ds_scenario: operation(['created three-d-secure-scenario'], () => [
    '/three-ds-scenarios',
    scenarioOf({ amount: 1_00 }),
  ]),
  update_three_ds_scenario: on('updated three-d-secure-scenario', scenario, '', {
    conditions: { amount: 2_00 },
  }),
  delete_three_ds_scenario: on('deleted three-d-secure-scenario', scenario),

  create_monitoring_metric: operation(['created monitoring.metric'], () => [
    '/monitoring/metrics',
    authRateMetric(),
  ]),
  update_monitoring_metric: on('updated monitoring.metric', metric, '', {
    display_name: 'M',
    alerting_policy: null,
    incident_policy: null,
  }),
  delete_monitoring_metric: on('deleted monitoring.metric', metric),
  update_monitoring_incident: on('updated monitoring.incident', incident, '', { notes: 'Seen' }),

  update_elements_configuration: operation(['updated elements-configuration'], () => [
    `${own}/elements`,
    { allowed_origins: [`https://${fresh('shop')}.example`] },
  ]),
  update_hosted_page_incident: on('updated hosted-page.incident', pageIncident, '', { closed: true }),

  add_report: operation(['created report'], () => ['/reports', transactionsReport()]),
  update_report: on(
    'updated report',
    async () => `/reports/${await made('/reports', transactionsReport())}`,
    '',
    { name: 'Renamed' },
  ),
  create_report_execution_url: nothing('it operation for what is there', async () => {
    const report = await made('/reports', transactionsReport())
    await railyard.reports.runOnce()
    const { items } = (await shop.get(`/reports/${report}/executions`)).body
    return [`/reports/${report}/executions/${items[0].id}/url`, {}]
  }),

  create_approval_policy: operation(['created approval-policy'], () => [
    '/approval-policies',
    inactivePolicy,
  ]),
  update_approval_policy: on('updated approval-policy', policy, '', { display_name: 'All payouts' }),
  delete_approval_policy: on('deleted approval-policy', policy),
  create_proposal: operation(['created proposal'], async () => [
    '/proposals',
    { method: 'POST', path: `${await authorized()}/void`, reason: 'The order was canceled' },
  ]),
  withdraw_proposal: on('updated proposal', proposal, '/withdraw'),

  create_saved_view: operation(['created saved-view'], () => ['/saved-views', view]),
  update_saved_view: on('updated saved-view', savedView, '', { name: 'Refused' }),
  delete_saved_view: on('deleted saved-view', savedView),

  create_spending_limit: operation(['created spending-limit'], async () => [
    '/spending-limits',
    await spendingLimitOf(),
  ]),
  update_spending_limit: on('updated spending-limit', spendingLimit, '', { per_day: 2 }),
  delete_spending_limit: on('deleted spending-limit', spendingLimit),

  create_metrics_explorer_preset: operation(['created metrics-explorer.preset'], () => [presets, question]),
  update_metrics_explorer_preset: on('updated metrics-explorer.preset', preset, '', {
    display_name: 'Renamed',
  }),
  delete_metrics_explorer_preset: on('deleted metrics-explorer.preset', preset),

  create_webhook_subscription: operation(['created webhook-subscription'], () => [
    '/webhook-subscriptions',
    hook,
  ]),
  update_webhook_subscription: on('updated webhook-subscription', subscription, '', { active: false }),
  rotate_webhook_subscription_secret: on('updated webhook-subscription', subscription, '/rotate-secret', {
    delta: 0,
  }),
  delete_webhook_subscription: on('deleted webhook-subscription', subscription),
  create_api_key_pair: operation(['created api-key-pair'], () => ['/api-key-pairs', pair()]),
  update_api_key_pair: on('updated api-key-pair', keyPair, '', { display_name: 'Renamed' }),
  delete_api_key_pair: on('deleted api-key-pair', keyPair),

  set_sandbox_faults: nothing('the faults are the sandbox’s', () => ['/sandbox/faults', { items: [] }]),
  // what happened elsewhere is no change of ours; that a report was read is
  simulate_transaction_event: operation(['created payment-service-report-file'], async () => [
    `/sandbox${await sold()}/simulate`,
    { event: 'settled' },
  ]),
  advance_sandbox_clock: nothing('the clock is the sandbox’s', () => ['/sandbox/clock/advance', { by: 1 }]),
  create_sandbox_apple_pay_token: nothing(changesNothing, async () => {
    await wallet('apple')
    return ['/sandbox/wallets/apple/token', { amount: 1_00, currency: 'USD' }]
  }),
  create_sandbox_google_pay_token: nothing(changesNothing, () => ['/sandbox/wallets/google/token', {}]),
})
