import type { RequestExamples } from './request-example.ts'

const alertBelow = (rate: number) => ({
  alerting_policy: { params: { alert_lt: rate } },
  incident_policy: { params: { create_after_n: 3, close_after_n: 5 } },
})

/** Reports, the metrics explorer and monitoring. */
export const reportExamples: RequestExamples = {
  add_report: {
    summary: 'The payments of each day',
    body: {
      name: 'Sales',
      schedule: 'daily',
      schedule_enabled: true,
      schedule_timezone: 'Europe/Berlin',
      spec: {
        model: 'transactions',
        params: {
          fields: ['id', 'status', 'amount', 'currency'],
          filters: { created_at: { start: 'day_start', end: 'day_end' } },
        },
      },
    },
  },
  update_report: { summary: 'Pause the schedule', body: { schedule_enabled: false } },
  create_report_execution_url: {
    summary: 'A link for an hour',
    needs: 'an execution that has succeeded',
    body: { expires_in: 60 },
  },
  create_saved_view: {
    summary: 'Declined payments in euros',
    body: {
      list: 'payments',
      name: 'Declined in euros',
      query: 'status=authorization_failed&currency=EUR',
      columns: ['created_at', 'amount', 'error_code'],
      shared: true,
    },
  },
  update_saved_view: { summary: 'Another name', body: { name: 'Declined' } },
  create_metrics_explorer_preset: {
    summary: 'How many payments of the last week were in euros',
    body: {
      display_name: 'A week in euros',
      metric: 'transactions',
      filters: { datetime_range: 'P7D/now', currency: ['EUR'] },
    },
  },
  update_metrics_explorer_preset: { summary: 'Another name', body: { display_name: 'Euros, 7 days' } },
  create_monitoring_metric: {
    summary: 'Alert when fewer than 80 % of card payments are authorized',
    body: {
      display_name: 'Cards',
      spec: { params: { filters: { datetime_range: 'PT15M/now', method: ['card'] } } },
      ...alertBelow(0.8),
    },
  },
  update_monitoring_metric: {
    summary: 'Alert below 70 %',
    body: { display_name: 'Cards', ...alertBelow(0.7) },
  },
  update_monitoring_incident: {
    summary: 'Note what was found',
    body: { notes: 'The bank was down from 9:00 to 9:20' },
  },
  update_hosted_page_incident: {
    summary: 'Close an incident',
    body: { notes: 'A tag manager of the proxy; removed', closed: true },
  },
}
