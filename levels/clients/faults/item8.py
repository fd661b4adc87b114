"""Item 8: sealed, truncated, complete."""
from registry import around, empty_recording, faults_of, result_of, with_data

fault = faults_of(8)


def silenced(result, *kinds):
    result["problems"] = [problem for problem in result["problems"] if problem["kind"] not in kinds]


@fault("Reports a truncated file as sealed.", "2.1-04", "2.4-07", "16-01")
def truncated_called_sealed(ca3):
    result_of(ca3, lambda reader, result: (result.update(sealed=True),
                                           silenced(result, "truncated-record")))


@fault("Presents what it recovered from a truncated file as the whole recording.", "2.4-07",
       "16-01")
def partial_called_complete(ca3):
    result_of(ca3, lambda reader, result: (result.update(complete=True),
                                           silenced(result, "truncated-record")))


@fault("Calls a file complete that ends between two records, without its trailing magic.",
       "2.1-04")
def complete_between_records(ca3):
    result_of(ca3, lambda reader, result: result.update(
        complete=result["stopped_at"] in (None, len(reader.data))))


@fault("Takes the leading magic of an otherwise empty file for the trailing one.", "2.1-05")
def leading_magic_is_trailing(ca3):
    around(ca3.Reader, "read", lambda read: lambda reader: (
        empty_recording() if reader.data == ca3.MAGIC else read(reader)))


@fault("Finds the trailing magic near the end, and ignores bytes behind it.", "2.1-06")
def bytes_behind_trailing_magic_ignored(ca3):
    def change(data):
        at = data.rfind(ca3.MAGIC, max(8, len(data) - 24))
        return data[:at + 8] if at > 0 else data

    with_data(ca3, change)


@fault("Refuses every file that is not sealed.", "2.1-03", "2.4-06", "2.4-07")
def unsealed_refused(ca3):
    result_of(ca3, lambda reader, result: (
        ca3.require(reader.sealed, "truncated-record", "not sealed")))
