package org.weft.osd.store.engine;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import org.weft.osd.store.Authority;
import org.weft.osd.store.BlockRun;
import org.weft.osd.store.CompletionMark;
import org.weft.osd.store.Delta;
import org.weft.osd.store.PartitionState;
import org.weft.osd.store.PendingList;
import org.weft.osd.store.format.ExtentPage;
import org.weft.osd.store.format.GivenBackCodec;
import org.weft.osd.store.format.ObjectRecord;
import org.weft.osd.store.format.PendingRecord;
import org.weft.osd.store.format.PendingRecords;
import org.weft.osd.store.format.StoreKeys;
import org.weft.osd.store.space.Pins;
import org.weft.protocol.id.Lsn;
import org.weft.protocol.id.ObjectName;

/** Shows the pending list of an object, and the δs in it, as of one commit (P 5.5). */
final class PendingReader {
  /** Of a run. */
  private static final long MOST_BLOCKS = 1 << 30;

  private final Parts parts;
  private final ConsistentView views;

  PendingReader(Parts parts, Committer committer) {
    this.parts = parts;
    this.views = new ConsistentView(parts, committer);
  }

  /** What is pending in an object, and which blocks a power loss gave back. */
  private record Listed(PendingRecords pending, List<BlockRun> givenBack) {}

  PendingList list(ObjectName name, Authority authority) throws IOException {
    requirePartition(name, authority);
    ConsistentView.View<Listed> view =
        views.of(
            name,
            (values, record) -> new Listed(values.pending(record), givenBack(values, record)));
    ObjectRecord record = Admission.requireObject(view == null ? null : view.record(), name);
    Admission.requireVersion(record, name, authority);
    PendingRecords pending = view.found().pending();
    ObjectRecord effective = pending.effective(record);
    List<CompletionMark> marks = new ArrayList<>();
    record
        .completions()
        .marks()
        .forEach(mark -> marks.add(new CompletionMark(mark.grant(), mark.upTo())));
    return new PendingList(
        record.handle(),
        record.change(),
        pending.records().stream().map(PendingRecord::write).toList(),
        marks,
        record.version(),
        record.resolvedBelow(),
        effective.eofBytes(),
        effective.truncationNumber(),
        record.tag(),
        record.componentBytes(),
        view.found().givenBack());
  }

  private static List<BlockRun> givenBack(Values values, ObjectRecord record) throws IOException {
    byte[] value = values.get(StoreKeys.givenBack(record.handle()));
    List<BlockRun> runs = new ArrayList<>();
    if (value != null) {
      GivenBackCodec.decode(value).ranges().forEach((first, end) -> add(runs, first, end));
    }
    return runs;
  }

  private static void add(List<BlockRun> runs, long first, long end) {
    for (long from = first; from < end; from += MOST_BLOCKS) {
      runs.add(new BlockRun(from, (int) Math.min(MOST_BLOCKS, end - from)));
    }
  }

  /** A pending write and the pages of its blocks; none if it is not pending. */
  private record Found(PendingRecord record, List<ExtentPage> pages) {}

  Delta delta(ObjectName name, Authority authority, long sequence) throws IOException {
    requirePartition(name, authority);
    Pins.Pin pin = parts.pins().everything();
    try {
      ConsistentView.View<Found> view =
          views.of(name, (values, record) -> find(values, record, authority.grant(), sequence));
      ObjectRecord record = Admission.requireObject(view == null ? null : view.record(), name);
      Admission.requireVersion(record, name, authority);
      if (view.found().record() == null) {
        throw PendingRules.invalid(
            "write "
                + sequence
                + " of grant "
                + new Lsn(authority.grant())
                + " is not pending in object "
                + name);
      }
      return Exchange.of(parts, name, view.found().record(), view.found().pages());
    } finally {
      pin.release();
    }
  }

  private static Found find(Values values, ObjectRecord object, long grant, long sequence)
      throws IOException {
    List<PendingRecord> found = values.pending(object).numbered(grant, sequence, sequence);
    if (found.isEmpty()) {
      return new Found(null, List.of());
    }
    PendingRecord record = found.get(0);
    return new Found(record, values.pages(object.handle(), record.firstBlock(), record.endBlock()));
  }

  private void requirePartition(ObjectName name, Authority authority) throws IOException {
    PartitionState partition = parts.partitions().get(name.partition());
    Admission.requirePartition(partition, name.partition());
    Admission.requireEpoch(partition, authority);
  }
}
