import type { FlowRules } from '@railyard/client'
import type { ReactNode } from 'react'
import { useNavigate, useParams } from 'react-router'
import { useAction, useLoad } from '../../api/use-api.ts'
import { FormDialog, useDialog } from '../../parts/dialogs/dialog.tsx'
import { Empty } from '../../parts/messages/notice.tsx'
import { useSay } from '../../parts/messages/toast.tsx'
import { Button } from '../../parts/page/button.tsx'
import { Card, Page as Layout } from '../../parts/page/layout.tsx'
import { Loaded } from '../../parts/page/loaded.tsx'
import { Tag } from '../../parts/values/tag.tsx'
import { useMay, useSignedIn } from '../../session/signed-in.ts'
import { routingWords } from '../../words/connections/routing.ts'
import { compareRules } from './describe-rule.ts'
import { type Flow, isFlow } from './flows.ts'
import { RuleList } from './rule-list.tsx'
import { RulesDiff } from './rules-diff.tsx'
import { ruleToSend } from './use-rule-changes.ts'
import { rulesOf, useServices } from './use-rules.ts'

const words = routingWords.versions

/** An earlier version: its rules, how they differ from what is live, and the way back to them. */
export function Page(): ReactNode {
  const { flow: name, version = '' } = useParams()
  const flow: Flow = isFlow(name) ? name : 'card-transaction'
  const query = useLoad(['flows', flow, 'version', version], async (api, signal) => {
    const [shown, live] = await Promise.all([
      api.flows.rules.list(flow, { version: Number(version) }, { signal }).page(),
      rulesOf(api, flow, { state: 'live' }, signal),
    ])
    return { shown, live }
  })
  return (
    <Loaded query={query} title={words.title} lines={8}>
      {({ shown, live }) => <Version flow={flow} shown={shown} live={live} />}
    </Loaded>
  )
}

function Version({
  flow,
  shown,
  live,
}: {
  flow: Flow
  shown: FlowRules
  live: FlowRules | undefined
}): ReactNode {
  const { account } = useSignedIn()
  const mayWrite = useMay('flows.write')
  const services = useServices()
  const home = `/${account}/routing?flow=${flow}`
  return (
    <Layout
      title={words.name(shown.version)}
      above={[
        { text: routingWords.title, to: `/${account}/routing` },
        { text: routingWords.flow[flow], to: home },
        { text: words.title, to: `${home}&view=versions` },
      ]}
      heading={
        <span className="flex items-center gap-3">
          {words.name(shown.version)}
          <Tag tone={shown.state === 'live' ? 'good' : 'quiet'}>
            {words.states[shown.state] ?? shown.state}
          </Tag>
        </span>
      }
      actions={mayWrite && shown.state === 'retired' && <GoBack flow={flow} version={shown} live={live} />}
    >
      {shown.items.length === 0 ? (
        <Empty title={routingWords.noneLive} />
      ) : (
        <RuleList rules={shown.items} services={services} />
      )}
      {shown.state !== 'live' && (
        <div className="mt-4">
          <Card title={live ? words.compared(live.version) : words.comparedNone}>
            <RulesDiff changes={compareRules(live?.items ?? [], shown.items, services)} />
          </Card>
        </div>
      )}
    </Layout>
  )
}

function GoBack({
  flow,
  version,
  live,
}: {
  flow: Flow
  version: FlowRules
  live: FlowRules | undefined
}): ReactNode {
  const { account } = useSignedIn()
  const navigate = useNavigate()
  const say = useSay()
  const dialog = useDialog<'draft' | 'publish'>()
  const done = (text: string) => {
    say(text)
    navigate(`/${account}/routing?flow=${flow}`)
  }
  const toDraft = useAction({
    run: (api) => api.flows.rules.replace(flow, { items: version.items.map(ruleToSend) }),
    onDone: () => done(words.toDraftDone),
    changes: [['flows']],
  })
  const publish = useAction({
    run: (api) =>
      api.flows.rules.publish(flow, { version: version.version, expected_version: live?.version ?? 0 }),
    onDone: () => done(words.goBackDone),
    changes: [['flows']],
  })
  return (
    <>
      <Button onClick={() => dialog.open('draft')}>{words.toDraft}</Button>
      <Button look="primary" onClick={() => dialog.open('publish')}>
        {words.goBack}
      </Button>
      <FormDialog
        open={dialog.about === 'draft'}
        onClose={dialog.close}
        title={words.toDraft}
        text={words.toDraftText}
        submit={words.toDraft}
        busy={toDraft.isPending}
        error={toDraft.error}
        onSubmit={() => toDraft.mutate()}
      />
      <FormDialog
        open={dialog.about === 'publish'}
        wide
        onClose={dialog.close}
        title={words.goBack}
        text={words.goBackText}
        submit={words.goBack}
        busy={publish.isPending}
        error={publish.error}
        onSubmit={() => publish.mutate()}
      />
    </>
  )
}
