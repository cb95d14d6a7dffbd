import type { WebhookDelivery, WebhookSubscription } from '@railyard/client'
import type { ReactNode } from 'react'
import { Tag, type Tone } from '../../parts/values/tag.tsx'
import { webhookWords as words } from '../../words/developers/webhooks.ts'

export const WebhookState = ({ of: { active, rotating } }: { of: WebhookSubscription }): ReactNode => (
  <span className="inline-flex gap-1">
    <Tag tone={active ? 'good' : 'quiet'}>{active ? words.active : words.paused}</Tag>
    {rotating && <Tag tone="warn">{words.rotating}</Tag>}
  </span>
)

export const authenticationText = ({ authentication }: WebhookSubscription): string =>
  authentication ? words.authenticationKinds[authentication.kind] : words.noAuthentication

const tones: Record<string, Tone | undefined> = { succeeded: 'good', failed: 'bad', waiting: 'warn' }
const texts: Record<string, string | undefined> = words.deliveries

export const DeliveryState = ({ of: { status } }: { of: Pick<WebhookDelivery, 'status'> }): ReactNode => (
  <Tag tone={tones[status]}>{texts[status] ?? status}</Tag>
)
