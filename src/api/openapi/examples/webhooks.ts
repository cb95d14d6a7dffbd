import type { RequestExamples } from './request-example.ts'

export const webhookExamples: RequestExamples = {
  create_webhook_subscription: {
    summary: 'Send every event to a URL',
    body: { url: 'https://shop.example/webhooks' },
  },
  update_webhook_subscription: { summary: 'Pause a subscription', body: { active: false } },
  rotate_webhook_subscription_secret: {
    summary: 'A new secret; the old one signs for another hour',
    body: { delta: 60 },
  },
  replay_webhook_events: {
    summary: 'Send the captures and refunds of a day again',
    body: {
      from: '2026-01-01T00:00:00Z',
      to: '2026-01-02T00:00:00Z',
      event_names: ['transaction.captured', 'refund.succeeded'],
    },
  },
}
