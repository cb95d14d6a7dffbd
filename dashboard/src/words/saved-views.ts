export const savedViewWords = {
  views: 'Views',
  save: 'Save view',
  saveTitle: 'Save this view',
  saveText:
    'Its filters are kept under a name. Remove a search and filters by a person’s data first: they cannot be saved.',
  name: 'Name',
  needName: 'Enter a name',
  share: 'Everyone who works with this merchant account sees it',
  shareIt: 'Share',
  unshare: 'Stop sharing',
  isShared: 'Everyone sees the view',
  isPrivate: 'You alone see the view',
  saved: 'The view is saved',
  delete: 'Delete view',
  deleteText: (name: string) => `Deletes the view ${name}. Only you see it.`,
  deleteShared: (name: string) =>
    `Deletes the view ${name} for everyone who works with this merchant account.`,
  deleted: 'The view is deleted',
} as const
