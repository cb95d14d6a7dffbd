import type { FaultItem, FaultList, Railyard } from '@railyard/client'
import { type ReactNode, useState } from 'react'
import { problemsOf } from '../../api/client.ts'
import { every } from '../../api/every.ts'
import { useAction, useLoad } from '../../api/use-api.ts'
import { FormDialog, useDialog } from '../../parts/dialogs/dialog.tsx'
import { SelectField, TextField } from '../../parts/forms/field.tsx'
import { Empty, ErrorNotice } from '../../parts/messages/notice.tsx'
import { useSay } from '../../parts/messages/toast.tsx'
import { Button } from '../../parts/page/button.tsx'
import { Card } from '../../parts/page/layout.tsx'
import { Loaded } from '../../parts/page/loaded.tsx'
import { Tag } from '../../parts/values/tag.tsx'
import { sandboxWords } from '../../words/developers/sandbox.ts'

const words = sandboxWords.faults
const kinds = sandboxWords.kinds
type Kind = FaultItem['kind']
type Operation = FaultItem['operation']

const operations: readonly Operation[] = [
  '*',
  'authorize',
  'sale',
  'capture',
  'void',
  'refund',
  'cancel',
  'increment',
  'approval',
  'payout',
  'find',
  'close',
  'session',
  'token',
  'tokenize',
  'redeem',
  'reverse',
  'activate',
  'issue',
  'balance',
  'dispute',
  'network_token',
  'cryptogram',
  'account_update',
  'screening',
  'versioning',
  'authentication',
  'challenge_result',
  'account',
  'page',
  'report',
]

/** A fault with how often it has struck. */
type Fault = FaultItem & { struck?: number }

const textOf = (operation: Operation) =>
  operation === '*' ? words.everyOperation : operation.replaceAll('_', ' ')

/** The faults as they go on: without those that are over, and with what is left of those that strike so often. */
const goingOn = ({ items }: FaultList): FaultItem[] =>
  (items as Fault[])
    .filter(({ ends_at }) => !ends_at || Date.parse(ends_at) > Date.now())
    .map(({ struck = 0, times, ...fault }) => ({
      ...fault,
      ...(times !== undefined && { times: times - struck }),
    }))
    .filter(({ times = 1 }) => times > 0)

/** Replaces the faults of one payment service, or, without one, of the instance. */
function replace(api: Railyard, service: string | null | undefined, list: FaultList): Promise<FaultList> {
  if (!service) return api.sandbox.faults.update(list)
  const items = list.items.filter(({ payment_service_id }) => payment_service_id === service)
  return api.sandbox.faults.update({ ...list, items }, { payment_service_id: service })
}

/** How the sandbox's payment services misbehave. */
export function FaultsTab(): ReactNode {
  const say = useSay()
  const dialog = useDialog<'add' | 'clear'>()
  const query = useLoad(['sandbox', 'faults'], (api, signal) => api.sandbox.faults.get({ signal }), {
    refresh: 3_000,
  })
  const services = useLoad(['payment-services', 'names'], (api, signal) =>
    every(api.paymentServices.list({ limit: 100 }, { signal })),
  )
  const names = new Map((services.data ?? []).map(({ id, display_name }) => [id, display_name]))
  const end = useAction({
    run: async (api, index: number) => {
      const list = await api.sandbox.faults.get()
      const gone = list.items[index]
      const items = goingOn({ items: list.items.filter((_, at) => at !== index) })
      return replace(api, gone?.payment_service_id, { ...list, items })
    },
    onDone: () => say(words.removed),
    changes: [['sandbox', 'faults']],
  })
  const clear = useAction({
    run: (api) => api.sandbox.faults.update({ items: [] }),
    onDone: () => {
      say(words.cleared)
      dialog.close()
    },
    changes: [['sandbox', 'faults']],
  })
  return (
    <Card
      title={words.title}
      aside={
        <span className="flex flex-wrap gap-2">
          {/* the form begins with the first payment service */}
          <Button look="primary" busy={services.isPending} onClick={() => dialog.open('add')}>
            {words.add}
          </Button>
          <Button onClick={() => dialog.open('clear')}>{words.clear}</Button>
        </span>
      }
    >
      <p className="mb-3 text-sm text-ink-2">{words.text}</p>
      {end.error && <ErrorNotice error={end.error} />}
      <Loaded query={query}>
        {({ items }) =>
          items.length === 0 ? (
            <Empty title={words.none}>{words.noneText}</Empty>
          ) : (
            <ul className="grid gap-3">
              {(items as Fault[]).map((fault, index) => (
                <li
                  // biome-ignore lint/suspicious/noArrayIndexKey: a fault has no id but its place
                  key={index}
                  className="grid gap-x-4 gap-y-1 rounded-md border border-line p-3 sm:grid-cols-[1fr_auto]"
                >
                  <div className="min-w-0">
                    <p className="font-medium">{kinds[fault.kind][0]}</p>
                    <p className="text-sm text-ink-2">{kinds[fault.kind][1]}</p>
                    <p className="mt-1 text-sm break-words text-ink-3">
                      {describe(fault, names.get(fault.payment_service_id ?? ''))}
                    </p>
                  </div>
                  <div className="flex items-center gap-3">
                    <Tag tone={fault.struck ? 'warn' : 'quiet'}>
                      {words.struck} {fault.struck ?? 0}
                    </Tag>
                    <Button busy={end.isPending && end.variables === index} onClick={() => end.mutate(index)}>
                      {words.remove}
                    </Button>
                  </div>
                </li>
              ))}
            </ul>
          )
        }
      </Loaded>
      {dialog.about === 'add' && (
        <FaultForm services={[...names]} onClose={dialog.close} onDone={dialog.close} />
      )}
      {dialog.about === 'clear' && (
        <FormDialog
          open
          onClose={dialog.close}
          title={words.clearTitle}
          text={words.clearText}
          submit={words.clear}
          busy={clear.isPending}
          error={clear.error}
          onSubmit={() => clear.mutate()}
        />
      )}
    </Card>
  )
}

function describe(fault: Fault, service: string | undefined): string {
  const { delay_ms, per_second, times, probability, bin_from, bin_to, starts_at, ends_at } = fault
  return [
    `${words.operation}: ${textOf(fault.operation)}`,
    `${words.service}: ${service ?? fault.payment_service_id ?? words.everyService}`,
    `${words.times}: ${times ?? words.always}`,
    probability !== undefined && `${words.probability}: ${words.percent(probability)}`,
    delay_ms !== undefined &&
      `${words.delay}: ${typeof delay_ms === 'number' ? delay_ms : `${delay_ms.p50}–${delay_ms.p99}`}`,
    per_second !== undefined && `${words.perSecond}: ${per_second}`,
    bin_from && `${bin_from}–${bin_to ?? bin_from}`,
    (starts_at ?? ends_at) && `${starts_at ?? ''} – ${ends_at ?? ''}`,
  ]
    .filter(Boolean)
    .join(' · ')
}

const hasDelay = (kind: Kind) => kind === 'delay' || kind === 'notification_late'

function FaultForm({
  services,
  onClose,
  onDone,
}: {
  services: readonly (readonly [id: string, name: string])[]
  onClose: () => void
  onDone: () => void
}): ReactNode {
  const say = useSay()
  const [kind, setKind] = useState<Kind>('lost')
  const [operation, setOperation] = useState<Operation>('authorize')
  const [service, setService] = useState(services[0]?.[0] ?? '')
  const [times, setTimes] = useState('1')
  const [percent, setPercent] = useState('')
  const [delay, setDelay] = useState('2000')
  const [perSecond, setPerSecond] = useState('0')
  const add = useAction({
    run: async (api) => {
      const list = await api.sandbox.faults.get()
      const fault: FaultItem = {
        kind,
        operation,
        ...(service && { payment_service_id: service }),
        ...(times && { times: Number(times) }),
        ...(percent && { probability: Number(percent) / 100 }),
        ...(hasDelay(kind) && delay && { delay_ms: Number(delay) }),
        ...(kind === 'rate_limit' && { per_second: Number(perSecond) }),
      }
      return replace(api, service, { ...list, items: [fault, ...goingOn(list)] })
    },
    onDone: () => {
      say(words.added)
      onDone()
    },
    changes: [['sandbox', 'faults']],
  })
  const problems = problemsOf(add.error)
  const [, happens, railyard] = kinds[kind]
  return (
    <FormDialog
      open
      onClose={onClose}
      title={words.add}
      text={words.addText}
      submit={words.add}
      busy={add.isPending}
      error={add.error}
      onSubmit={() => add.mutate()}
    >
      <SelectField
        label={words.kind}
        value={kind}
        onChange={(next) => setKind(next as Kind)}
        options={Object.entries(kinds).map(([each, [text]]) => [each, text])}
        problem={problems['/items/0/kind']}
      />
      <dl className="grid grid-cols-[auto_1fr] gap-x-3 gap-y-1 rounded-md bg-sunken p-3 text-sm">
        <dt className="text-ink-3">{words.what}</dt>
        <dd>{happens}</dd>
        <dt className="text-ink-3">{words.railyard}</dt>
        <dd>{railyard}</dd>
      </dl>
      <SelectField
        label={words.service}
        value={service}
        onChange={setService}
        options={[...services, ['', words.everyService]]}
        problem={problems['/items/0/payment_service_id']}
      />
      <SelectField
        label={words.operation}
        value={operation}
        onChange={(next) => setOperation(next as Operation)}
        options={operations.map((each) => [each, textOf(each)])}
        problem={problems['/items/0/operation']}
      />
      <div className="grid gap-4 sm:grid-cols-2">
        <TextField
          label={words.times}
          hint={words.timesHint}
          type="number"
          min={1}
          value={times}
          onChange={setTimes}
          problem={problems['/items/0/times']}
        />
        <TextField
          label={words.probability}
          hint={words.probabilityHint}
          type="number"
          min={1}
          max={100}
          value={percent}
          onChange={setPercent}
          problem={problems['/items/0/probability']}
        />
        {hasDelay(kind) && (
          <TextField
            label={words.delay}
            type="number"
            min={0}
            value={delay}
            onChange={setDelay}
            problem={problems['/items/0/delay_ms']}
          />
        )}
        {kind === 'rate_limit' && (
          <TextField
            label={words.perSecond}
            type="number"
            min={0}
            value={perSecond}
            onChange={setPerSecond}
            problem={problems['/items/0/per_second']}
          />
        )}
      </div>
    </FormDialog>
  )
}
