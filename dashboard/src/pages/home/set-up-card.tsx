import type { Railyard } from '@railyard/client'
import { Check, Circle } from 'lucide-react'
import { type ReactNode, useState } from 'react'
import { Link } from 'react-router'
import { isSandbox } from '../../api/place.ts'
import { type ListPage, useLoad } from '../../api/use-api.ts'
import { Button } from '../../parts/page/button.tsx'
import { Card } from '../../parts/page/layout.tsx'
import { Loaded } from '../../parts/page/loaded.tsx'
import { useSignedIn } from '../../session/signed-in.ts'
import { homeWords } from '../../words/home.ts'

const words = homeWords.setUp

interface Step {
  name: keyof typeof words.steps
  to: string
  scope: string
  /** Something of which there are more than `enough` once the step is done. */
  list: (api: Railyard, signal: AbortSignal) => Promise<ListPage<unknown>>
  enough?: number
}

/** An account with so many payments is not new. */
const FEW_PAYMENTS = 10

const listPayments: Step['list'] = (api, signal) =>
  api.transactions.list({ limit: FEW_PAYMENTS }, { signal }).page()

const steps: readonly Step[] = [
  {
    name: 'service',
    to: 'payment-services/new',
    scope: 'payment-services.write',
    list: (api, signal) => api.paymentServices.list({ limit: 1 }, { signal }).page(),
  },
  isSandbox
    ? { name: 'payment', to: 'sandbox?tab=payment', scope: 'transactions.write', list: listPayments }
    : { name: 'firstPayment', to: 'payment-links/new', scope: 'payment-links.write', list: listPayments },
  {
    name: 'key',
    to: 'api-keys',
    scope: 'api-key-pairs.write',
    list: (api, signal) => api.apiKeyPairs.list({ limit: 1 }, { signal }).page(),
  },
  {
    name: 'webhook',
    to: 'webhooks',
    scope: 'webhook-subscriptions.write',
    list: (api, signal) => api.webhookSubscriptions.list({ limit: 1 }, { signal }).page(),
  },
  ...(isSandbox
    ? []
    : ([
        {
          name: 'colleague',
          to: 'people',
          scope: 'users.write',
          list: (api, signal) => api.users.list({ limit: 2 }, { signal }).page(),
          enough: 1,
        },
        {
          name: 'passkey',
          to: 'profile',
          scope: 'users.me.write',
          list: (api, signal) => api.users.me.passkeys.list({ limit: 1 }, { signal }).page(),
        },
      ] satisfies Step[])),
]

/** What a person can do to set up a new account. Nothing once it is done, dismissed, or the account has payments. */
export default function SetUpCard(): ReactNode {
  const { account, session, may } = useSignedIn()
  const place = `railyard.set-up-dismissed.${session.user.id}.${account}`
  const [isDismissed, setDismissed] = useState(() => localStorage.getItem(place) !== null)
  const theirs = steps.filter(({ scope }) => may(scope))
  const payments = useLoad(['transactions', 'set-up'], listPayments, {
    enabled: !isDismissed && theirs.length > 0 && may('transactions.read'),
  })
  const isNew = !isDismissed && payments.data !== undefined && payments.data.items.length < FEW_PAYMENTS
  const done = useLoad(
    ['set-up'],
    (api, signal) =>
      Promise.all(
        theirs.map(async ({ list, enough = 0 }) => (await list(api, signal)).items.length > enough),
      ),
    { enabled: isNew, refresh: 10_000 },
  )
  if (!isNew || done.data?.every(Boolean)) return null
  return (
    <Card
      title={words.title}
      aside={
        <Button
          look="quiet"
          onClick={() => {
            localStorage.setItem(place, 'true')
            setDismissed(true)
          }}
        >
          {words.dismiss}
        </Button>
      }
    >
      <Loaded query={done} lines={4}>
        {(states) => (
          <ul className="grid gap-x-6 gap-y-2 sm:grid-cols-2">
            {theirs.map(({ name, to }, index) => (
              <SetUpStep key={name} name={name} to={to} isDone={states[index] === true} />
            ))}
          </ul>
        )}
      </Loaded>
    </Card>
  )
}

function SetUpStep({ name, to, isDone }: Pick<Step, 'name' | 'to'> & { isDone: boolean }): ReactNode {
  const [title, about] = words.steps[name]
  const Icon = isDone ? Check : Circle
  return (
    <li className="flex items-start gap-2">
      <Icon aria-hidden size={16} className={`mt-0.5 shrink-0 ${isDone ? 'text-good' : 'text-ink-3'}`} />
      <span>
        <Link to={to} className={`hover:underline ${isDone ? 'text-ink-3' : 'font-medium'}`}>
          {title}
        </Link>
        <span className="sr-only">: {isDone ? words.done : words.toDo}</span>
        <span className="block text-sm text-ink-3">{about}</span>
      </span>
    </li>
  )
}
