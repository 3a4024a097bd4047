package org.weft.osd.store.engine.read;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import org.weft.osd.store.PartitionState;
import org.weft.osd.store.PendingList;
import org.weft.osd.store.engine.change.DeltaExchange;
import org.weft.osd.store.engine.change.MutationAdmission;
import org.weft.osd.store.engine.change.PendingRules;
import org.weft.osd.store.engine.commit.Committer;
import org.weft.osd.store.engine.state.StoreState;
import org.weft.osd.store.engine.state.Values;
import org.weft.osd.store.format.ExtentPage;
import org.weft.osd.store.format.ObjectRecord;
import org.weft.osd.store.format.PendingRecord;
import org.weft.osd.store.format.PendingRecords;
import org.weft.osd.store.format.RevertedBlocksCodec;
import org.weft.osd.store.format.StoreKeys;
import org.weft.osd.store.space.Pins;
import org.weft.osd.store.value.Authority;
import org.weft.osd.store.value.BlockRun;
import org.weft.osd.store.value.CompletionMark;
import org.weft.osd.store.value.Delta;
import org.weft.protocol.id.Lsn;
import org.weft.protocol.id.ObjectName;

/** Shows the pending list of an object, and the δs in it, as of one commit (P 5.5). */
public final class PendingReader {
  /** Of a run. */
  private static final long MAX_BLOCKS = 1 << 30;

  private final StoreState store;
  private final ConsistentView views;

  /** Of this store; the committer looks where commits come too fast. */
  public PendingReader(StoreState store, Committer committer) {
    this.store = store;
    this.views = new ConsistentView(store, committer);
  }

  /** What is pending in an object, and which blocks a power loss gave back. */
  private record Listed(PendingRecords pending, List<BlockRun> givenBack) {}

  /**
   * The pending list of an object (P 5.5).
   *
   * @throws WeftException if the look is refused
   * @throws IOException of the tables
   */
  public PendingList list(ObjectName name, Authority authority) throws IOException {
    requirePartition(name, authority);
    ConsistentView.View<Listed> view =
        views.of(
            name,
            (values, record) -> new Listed(values.pending(record), givenBack(values, record)));
    ObjectRecord record =
        MutationAdmission.requireObject(view == null ? null : view.record(), name);
    MutationAdmission.requireVersion(record, name, authority);
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
      RevertedBlocksCodec.decode(value).ranges().forEach((first, end) -> add(runs, first, end));
    }
    return runs;
  }

  private static void add(List<BlockRun> runs, long first, long end) {
    for (long from = first; from < end; from += MAX_BLOCKS) {
      runs.add(new BlockRun(from, (int) Math.min(MAX_BLOCKS, end - from)));
    }
  }

  /** A pending write and the pages of its blocks; none if it is not pending. */
  private record Found(PendingRecord record, List<ExtentPage> pages) {}

  /**
   * The δ of a pending write.
   *
   * @throws WeftException if the look is refused, or the δ is not there
   * @throws IOException of the tables
   */
  public Delta delta(ObjectName name, Authority authority, long sequence) throws IOException {
    requirePartition(name, authority);
    Pins.Pin pin = store.pins().everything();
    try {
      ConsistentView.View<Found> view =
          views.of(name, (values, record) -> find(values, record, authority.grant(), sequence));
      ObjectRecord record =
          MutationAdmission.requireObject(view == null ? null : view.record(), name);
      MutationAdmission.requireVersion(record, name, authority);
      if (view.found().record() == null) {
        throw PendingRules.invalid(
            "write "
                + sequence
                + " of grant "
                + new Lsn(authority.grant())
                + " is not pending in object "
                + name);
      }
      return DeltaExchange.of(store, name, view.found().record(), view.found().pages());
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
    PartitionState partition = store.partitions().get(name.partition());
    MutationAdmission.requirePartition(partition, name.partition());
    MutationAdmission.requireEpoch(partition, authority);
  }
}
