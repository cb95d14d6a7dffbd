import type { FlowRule, FlowRuleCreate } from '@railyard/client'
import { type FormEvent, type ReactNode, useState } from 'react'
import { useNavigate, useParams } from 'react-router'
import { problemsOf } from '../../api/client.ts'
import { useAction, useLoad } from '../../api/use-api.ts'
import { CheckField, SelectField, TextField } from '../../parts/forms/field.tsx'
import { ErrorNotice } from '../../parts/messages/notice.tsx'
import { useSay } from '../../parts/messages/toast.tsx'
import { Button, ButtonLink } from '../../parts/page/button.tsx'
import { Card, Page as Layout } from '../../parts/page/layout.tsx'
import { Loaded } from '../../parts/page/loaded.tsx'
import { useSignedIn } from '../../session/signed-in.ts'
import { commonWords } from '../../words/common.ts'
import { routingWords } from '../../words/connections/routing.ts'
import { isComplete, newGroup, toCondition, toDraft } from './condition-draft.ts'
import { GroupEditor } from './condition-editor.tsx'
import { type Action, type Flow, flowActions, isFlow } from './flows.ts'
import { readOutcome, writeOutcome } from './outcome.ts'
import { OutcomeEditor } from './outcome-editor.tsx'
import { useServices } from './use-rules.ts'

const words = routingWords.form

/** A rule of the draft, or a new one. */
export function Page(): ReactNode {
  const { flow: name, rule: id } = useParams()
  const flow: Flow = isFlow(name) ? name : 'card-transaction'
  const query = useLoad(
    ['flows', flow, 'rule', id],
    (api, signal) => api.flows.rules.get(flow, id ?? '', { signal }),
    { enabled: id !== undefined },
  )
  if (id === undefined) return <RuleForm flow={flow} />
  return (
    <Loaded query={query} title={words.editTitle} lines={8}>
      {(rule) => <RuleForm key={rule.id} flow={flow} rule={rule} />}
    </Loaded>
  )
}

function RuleForm({ flow, rule }: { flow: Flow; rule?: FlowRule }): ReactNode {
  const { account } = useSignedIn()
  const navigate = useNavigate()
  const say = useSay()
  const services = useServices()
  const actions: readonly Action[] = flowActions[flow]
  const [name, setName] = useState(rule?.display_name ?? '')
  const [action, setAction] = useState<Action>(
    () => actions.find((each) => each === rule?.action) ?? actions[0] ?? 'route-transaction',
  )
  const [isActive, setActive] = useState(rule?.active ?? true)
  const [condition, setCondition] = useState(() => (rule ? toDraft(rule.condition) : newGroup()))
  const [outcome, setOutcome] = useState(() =>
    readOutcome(rule?.outcome ?? { attempts: [{ payment_service_id: '' }] }),
  )
  const [isTried, setTried] = useState(false)
  const [pointers, setPointers] = useState<ReadonlyMap<string, string>>(new Map())
  const home = `/${account}/routing?flow=${flow}`
  const save = useAction({
    run: (api, body: FlowRuleCreate, idempotencyKey) =>
      rule
        ? api.flows.rules.update(flow, rule.id, body)
        : api.flows.rules.create(flow, body, { idempotencyKey }),
    onDone: () => {
      say(routingWords.rule.saved)
      navigate(home)
    },
    changes: [['flows', flow]],
  })
  const problems = problemsOf(save.error)
  const problemOf = (key: string) => {
    const pointer = pointers.get(key)
    if (pointer === undefined) return undefined
    const members = ['', '/field', '/operator', '/value', '/currency']
    return Object.entries(problems).find(
      ([at]) => members.some((member) => at === pointer + member) || at.startsWith(`${pointer}/value/`),
    )?.[1]
  }
  const submit = (event: FormEvent) => {
    event.preventDefault()
    setTried(true)
    if (!name.trim() || !isComplete(condition)) return
    const sent = toCondition(condition)
    setPointers(sent.pointers)
    save.mutate({
      display_name: name.trim(),
      action,
      active: isActive,
      condition: sent.condition,
      outcome: writeOutcome(action, outcome),
    })
  }
  return (
    <Layout
      title={rule ? words.editTitle : words.newTitle}
      above={[
        { text: routingWords.title, to: `/${account}/routing` },
        { text: routingWords.flow[flow], to: home },
      ]}
    >
      <form noValidate onSubmit={submit} className="max-w-4xl">
        <Card>
          <div className="grid gap-4 sm:grid-cols-2">
            <TextField
              label={words.name}
              hint={words.nameHint}
              value={name}
              onChange={setName}
              maxLength={200}
              problem={(isTried && !name.trim() ? words.needName : undefined) ?? problems['/display_name']}
            />
            <SelectField
              label={words.action}
              value={action}
              onChange={(next) => setAction(next as Action)}
              options={actions.map((each) => [each, routingWords.actions[each]])}
              problem={problems['/action']}
            />
            <CheckField
              label={words.active}
              hint={words.activeHint}
              checked={isActive}
              onChange={setActive}
            />
          </div>
        </Card>
        <Card title={routingWords.condition.title}>
          <GroupEditor draft={condition} onChange={setCondition} problemOf={problemOf} isTried={isTried} />
        </Card>
        <Card title={routingWords.outcome.title}>
          <OutcomeEditor
            flow={flow}
            action={action}
            services={services}
            outcome={outcome}
            onChange={setOutcome}
            problems={problems}
          />
        </Card>
        {save.error && <ErrorNotice error={save.error} />}
        <div className="mt-4 flex justify-end gap-2">
          <ButtonLink to={home}>{commonWords.cancel}</ButtonLink>
          <Button type="submit" look="primary" busy={save.isPending}>
            {words.save}
          </Button>
        </div>
      </form>
    </Layout>
  )
}
