import { resolve } from 'node:path';
import { type CsvTable, decodeCsv, parseCsv } from '../email/csv.js';
import {
  lacks,
  leadInRow,
  matchColumns,
  rowsWithout,
  tellingLeads,
  type VariableColumn,
} from '../email/lead-values.js';
import { variablesOf } from '../email/mail.js';
import type { SampleLead } from '../email/sample-leads.js';
import { readRegularFile } from '../files/read.js';
import { errorMessage, Failure, usage } from '../model/failure.js';
import type { PreviewedCampaign } from '../model/preview.js';
import type { CampaignLeads, LeadReport } from '../model/reports.js';
import type { LeadStep } from '../view/leads.js';

const MEBIBYTE = 1024 * 1024;
const LIMIT = 64 * MEBIBYTE;

/** Reads leads from a CSV file, relative to `cwd`. Nothing keeps them. */
export function readLeads(file: string, cwd: string): CsvTable {
  const table = parseCsv(decodeCsv(readBytes(file, cwd)));
  if ('header' in table) return table;
  const { row, column, fact, hint } = table;
  throw unreadable(`${file}, row ${row}, column ${column}: ${fact}.`, hint);
}

function readBytes(file: string, cwd: string): Buffer {
  try {
    return readRegularFile(resolve(cwd, file), LIMIT);
  } catch (error) {
    throw unreadable(
      `${file} cannot be read: ${errorMessage(error)}.`,
      `Name a CSV file of at most ${LIMIT / MEBIBYTE} MiB. Paths are relative to the working directory.`,
    );
  }
}

function unreadable(message: string, hint: string): Failure {
  return new Failure({ code: 'leads-unreadable', message, hint });
}

/** `columns`: of all variables that the campaigns use. */
export interface MatchedLeads {
  table: CsvTable;
  columns: VariableColumn[];
  report: LeadReport;
}

export function matchLeads(
  table: CsvTable,
  campaigns: readonly PreviewedCampaign[],
  { environment, file }: Pick<LeadReport, 'environment' | 'file'>,
): MatchedLeads {
  const columns = matchColumns(table.header, variablesOf(campaigns));
  if (!Array.isArray(columns)) {
    const [first = 0, second = 0] = columns.columns;
    throw unreadable(
      `${file}: columns ${first + 1} and ${second + 1} both contain ${columns.variable}.`,
      'Rename or delete one of them.',
    );
  }
  const used = new Set(columns.map(({ column }) => column));
  const unused = table.header.flatMap((name, at) => (used.has(at) ? [] : [name || `column ${at + 1}`]));
  const report: LeadReport = {
    version: 1,
    environment,
    file,
    rows: table.rows.length,
    unused_columns: unused,
    campaigns: campaigns.map((campaign) => leadsOf(campaign, table, columns)),
  };
  return { table, columns, report };
}

const FIRST_ROWS = 10;

function leadsOf(
  campaign: PreviewedCampaign,
  table: CsvTable,
  columns: readonly VariableColumn[],
): CampaignLeads {
  const names = variablesOf([campaign]);
  const used = columns.filter(({ variable }) => names.includes(variable));
  return {
    name: campaign.name,
    place: campaign.place,
    rows_without: table.rows.filter((row) => lacks(row, used).length > 0).length,
    variables: used.map((match) => {
      const rows = rowsWithout(table, match);
      return {
        name: match.variable,
        column: match.column === null ? null : (table.header[match.column] ?? null),
        ...(match.isSender && { from_sender: true as const }),
        rows_without: rows.length,
        first_rows: rows.slice(0, FIRST_ROWS).map(({ row }) => row),
      };
    }),
  };
}

/** The lead of a served page and its neighbours. `row`: the wanted one; another one if there is none. */
export function leadStep({ table: { rows }, columns }: MatchedLeads, row: number | null): LeadStep | null {
  const [first, last] = [rows[0], rows.at(-1)];
  if (first === undefined || last === undefined) return null;
  const at = Math.max(
    0,
    rows.findIndex((each) => each.row === row),
  );
  const rowAt = (index: number) => rows[index]?.row ?? null;
  const lacking = [...rows.slice(at + 1), ...rows.slice(0, at)].find(
    (each) => lacks(each, columns).length > 0,
  );
  return {
    row: rowAt(at) ?? first.row,
    first: first.row,
    last: last.row,
    previous: at === 0 ? null : rowAt(at - 1),
    next: rowAt(at + 1),
    lacking: lacking?.row ?? null,
  };
}

/** The leads of a page. `row`: `null` for a few telling ones. Fails if there is no such row. */
export function leadsToShow({ table, columns, report }: MatchedLeads, row: number | null): SampleLead[] {
  if (row === null) return tellingLeads(table, columns);
  const chosen = table.rows.find((each) => each.row === row);
  if (chosen !== undefined) return [leadInRow(chosen, columns)];
  const [first, last] = [table.rows[0], table.rows.at(-1)];
  throw usage(
    `${report.file} has no lead in row ${row} (--row).`,
    first === undefined ? 'It has no leads.' : `Its leads are in rows ${first.row} to ${last?.row}.`,
  );
}
