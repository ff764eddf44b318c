import type { JsonObject } from '../../model/json.js';

const text = { type: 'string', minLength: 1, pattern: '\\S' };

const body = {
  email_body: {
    ...text,
    description:
      'Body of the email. Variables are upper case in single braces: {FIRST_NAME}. Spintax: {Hi|Hello}. Give this or email_body_file.',
    examples: ['<p>Hi {FIRST_NAME},</p>\n<p>worth a look?</p>\n'],
  },
  email_body_file: {
    type: 'string',
    minLength: 1,
    description:
      'File with the body, relative to the manifest and inside the project. Give this or email_body.',
    examples: ['emails/installers-b.html'],
  },
};

const oneBody = [{ required: ['email_body'] }, { required: ['email_body_file'] }];

const variant: JsonObject = {
  title: 'VariantSpec',
  type: 'object',
  additionalProperties: false,
  required: ['email_subject'],
  oneOf: oneBody,
  description: 'Another wording of the step: the service picks one of them for each recipient.',
  properties: {
    email_subject: {
      ...text,
      description: 'Subject of the variant.',
      examples: ['Installers at {COMPANY}'],
    },
    ...body,
    wait_in_days: {
      type: 'integer',
      description: "Days to wait before the next step. Default: the step's.",
      examples: [3],
    },
    thread_reply: {
      type: 'boolean',
      description: "Whether it is sent as a reply in the thread of the previous step. Default: the step's.",
      examples: [false],
    },
  },
};

const step: JsonObject = {
  title: 'StepSpec',
  type: 'object',
  additionalProperties: false,
  required: ['email_subject', 'wait_in_days'],
  oneOf: oneBody,
  description: 'One email of the sequence. Steps are sent in the order in which they are written.',
  properties: {
    email_subject: {
      ...text,
      description:
        'Subject. Variables are upper case in single braces: {FIRST_NAME}. On thread replies the service puts "Re: " in front itself.',
      examples: ['{FIRST_NAME}, a question'],
    },
    ...body,
    wait_in_days: {
      type: 'integer',
      description: 'Days to wait before the sequence moves to the next step; at least 1.',
      examples: [3],
    },
    thread_reply: {
      type: 'boolean',
      default: false,
      description: 'Whether the step is sent as a reply in the thread of the previous step.',
      examples: [true],
    },
    variants: {
      type: 'array',
      items: variant,
      description: 'Other wordings of this step.',
      examples: [[{ email_subject: 'Installers at {COMPANY}', email_body: '<p>Hi {FIRST_NAME}</p>' }]],
    },
  },
};

/** Manifest section `sequence`: the emails. The service cannot edit a sequence once it is there. */
export const sequenceSchema: JsonObject = {
  title: 'SequenceSpec',
  type: 'object',
  additionalProperties: false,
  required: ['title', 'steps'],
  description:
    'The emails that the campaign sends. The service has no way to edit a sequence once it is there.',
  examples: [
    {
      title: 'Spring sequence',
      steps: [{ email_subject: 'Hello {FIRST_NAME}', email_body: '<p>…</p>', wait_in_days: 3 }],
    },
  ],
  properties: {
    title: { ...text, description: 'Title of the sequence.', examples: ['Spring sequence'] },
    steps: {
      type: 'array',
      minItems: 1,
      items: step,
      description: 'The emails in the order in which they are sent.',
      examples: [[{ email_subject: 'Hello {FIRST_NAME}', email_body: '<p>…</p>', wait_in_days: 3 }]],
    },
  },
};
