import { settingsWords } from './settings.ts'

export const peopleWords = {
  title: settingsWords.people,
  searchHint: 'Name or email address',
  invite: 'Invite a person',
  none: 'No people',
  noneText: 'Invite the people who work with this instance.',
  noneFound: 'No person matches',
  columns: {
    name: 'Name',
    email: 'Email address',
    state: 'State',
    roles: 'Roles',
    accounts: 'Merchant accounts',
    secondFactor: 'Authenticator app',
    created: 'Invited',
    updated: 'Changed',
    id: 'Id',
  },
  states: { pending: 'Invited', active: 'Active', disabled: 'Disabled' },
  stateNotes: {
    pending: 'The invitation was not accepted yet.',
    disabled: 'There was no sign-in for 90 days. A new invitation opens the account again.',
  },
  allAccounts: 'All',
  on: 'on',
  off: 'off',
  you: 'you',
  details: 'Details',
  form: {
    inviteTitle: 'Invite a person',
    inviteText: 'Railyard sends no email: you get a link, and hand it on.',
    editTitle: 'Edit the person',
    editText: 'A change of roles or merchant accounts ends the person’s sessions at once.',
    submit: 'Invite',
  },
  invited: 'The person was invited',
  saved: 'Saved',
  linkTitle: 'Hand on the invitation now',
  linkText:
    'The link is shown this once. Who opens it first gets the account: send it by a channel that you trust. It works once.',
  link: 'Invitation link',
  linkUntil: 'It works until',
  again: 'New invitation',
  againTitle: (name: string) => `Invite ${name} again?`,
  againText:
    'For a person who has lost the link, the password or the authenticator app. The earlier link stops working, and all sessions of the person end at once. When the new link is used, the password is replaced, and the authenticator app and passkeys are removed.',
  deleteTitle: (name: string) => `Delete ${name}?`,
  deleteText:
    'The person cannot sign in any more, and all their sessions end at once. What they did stays in the audit log. The address can be invited again.',
  deleted: 'The person was deleted',
} as const
