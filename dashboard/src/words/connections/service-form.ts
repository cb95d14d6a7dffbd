export const serviceFormWords = {
  kind: 'Service',
  chooseKind: 'Choose a service',
  name: 'Name',
  needName: 'Enter a name',
  active: 'Active',
  paused: 'Paused',
  noKinds: 'This instance has no service that could be connected.',
  fields: 'Credentials and settings',
  connect: 'Connect',
  connected: 'Connected',
  saved: 'Saved',
  deletedNow: 'Deleted',
} as const
