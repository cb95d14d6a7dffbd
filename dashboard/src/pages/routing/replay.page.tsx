import type { FlowRulesReplayCreate } from '@railyard/client'
import { type FormEvent, type ReactNode, useState } from 'react'
import { useParams, useSearchParams } from 'react-router'
import { problemsOf } from '../../api/client.ts'
import { useAction } from '../../api/use-api.ts'
import { SelectField, TextField } from '../../parts/forms/field.tsx'
import { ErrorNotice } from '../../parts/messages/notice.tsx'
import { Button } from '../../parts/page/button.tsx'
import { Card, Page as Layout, Skeleton } from '../../parts/page/layout.tsx'
import { useMay, useSignedIn } from '../../session/signed-in.ts'
import { routingWords } from '../../words/connections/routing.ts'
import { type Flow, isFlow } from './flows.ts'
import { OnePaymentResult, ReplayResult } from './replay-result.tsx'
import { useRules } from './use-rules.ts'

const words = routingWords.replay

/** Decides past payments again by the draft, or by what is live. */
export function Page(): ReactNode {
  const { flow: name } = useParams()
  const { account } = useSignedIn()
  const [params, setParams] = useSearchParams()
  const flow: Flow = isFlow(name) ? name : 'card-transaction'
  const { data: rules } = useRules(flow)
  const state = params.get('rules') === 'live' || (rules && !rules.draft) ? 'live' : 'draft'
  return (
    <Layout
      title={words.title}
      above={[
        { text: routingWords.title, to: `/${account}/routing` },
        { text: routingWords.flow[flow], to: `/${account}/routing?flow=${flow}` },
      ]}
    >
      <p className="mb-3 text-sm text-ink-2">{words.text}</p>
      <div className="mb-4 max-w-xs">
        <SelectField
          label={words.which}
          value={state}
          onChange={(next) => setParams({ rules: next }, { replace: true })}
          options={[
            ...(rules && !rules.draft ? [] : [['draft', words.draft] as const]),
            ['live', words.live],
          ]}
        />
      </div>
      <Many key={`many ${state}`} flow={flow} state={state} />
      <One key={`one ${state}`} flow={flow} state={state} />
    </Layout>
  )
}

interface Replayed {
  flow: Flow
  state: 'draft' | 'live'
}

const toTimestamp = (local: string): string | undefined => {
  const time = new Date(local)
  return Number.isNaN(time.getTime()) ? undefined : time.toISOString()
}

/** The last payments of the flow. */
function Many({ flow, state }: Replayed): ReactNode {
  const [count, setCount] = useState('10000')
  const [from, setFrom] = useState('')
  const [to, setTo] = useState('')
  const replay = useAction({
    run: (api, body: FlowRulesReplayCreate) => api.flows.rules.replay(flow, body),
    changes: [],
  })
  const problems = problemsOf(replay.error)
  const submit = (event: FormEvent) => {
    event.preventDefault()
    const [start, end] = [toTimestamp(from), toTimestamp(to)]
    replay.mutate({
      state,
      ...(count && { transactions: Number(count) }),
      ...(start && { from: start }),
      ...(end && { to: end }),
    })
  }
  return (
    <>
      <Card>
        <form noValidate onSubmit={submit} className="grid items-start gap-4 sm:grid-cols-[1fr_1fr_1fr_auto]">
          <TextField
            label={words.count}
            hint={words.countHint}
            type="number"
            min={1}
            max={1_000_000}
            value={count}
            onChange={setCount}
            problem={problems['/transactions']}
          />
          <TextField
            label={words.from}
            type="datetime-local"
            optional
            value={from}
            onChange={setFrom}
            problem={problems['/from']}
          />
          <TextField
            label={words.to}
            type="datetime-local"
            optional
            value={to}
            onChange={setTo}
            problem={problems['/to']}
          />
          <Button type="submit" look="primary" busy={replay.isPending} className="sm:mt-6">
            {words.run}
          </Button>
        </form>
      </Card>
      <div aria-live="polite">
        {replay.isPending && (
          <Card>
            <p className="mb-3 text-sm text-ink-3">{words.running}</p>
            <Skeleton lines={6} />
          </Card>
        )}
      </div>
      {replay.error && (
        <div className="mb-4">
          <ErrorNotice error={replay.error} />
        </div>
      )}
      {replay.data && !replay.isPending && <ReplayResult replay={replay.data} />}
    </>
  )
}

/** One payment: the window of the replay is the moment of its creation. */
function One({ flow, state }: Replayed): ReactNode {
  const may = useMay('transactions.read')
  const [id, setId] = useState('')
  const test = useAction({
    run: async (api, payment: string) => {
      const { created_at } = await api.transactions.get(payment)
      const replay = await api.flows.rules.replay(flow, { state, from: created_at, to: created_at })
      return { payment, replay }
    },
    changes: [],
  })
  if (!may) return null
  return (
    <Card title={words.one}>
      <p className="mb-3 text-sm text-ink-2">{words.oneText}</p>
      <form
        noValidate
        className="flex flex-wrap items-start gap-3"
        onSubmit={(event) => {
          event.preventDefault()
          if (id.trim()) test.mutate(id.trim())
        }}
      >
        <div className="w-full max-w-md">
          <TextField label={words.paymentId} value={id} onChange={setId} spellCheck={false} />
        </div>
        <Button type="submit" busy={test.isPending} className="sm:mt-6">
          {words.test}
        </Button>
      </form>
      <div className="mt-3" aria-live="polite">
        {test.error && <ErrorNotice error={test.error} />}
        {test.data && !test.isPending && (
          <OnePaymentResult payment={test.data.payment} replay={test.data.replay} />
        )}
      </div>
    </Card>
  )
}
