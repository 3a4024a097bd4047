package org.weft.metadata.journal;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.weft.protocol.error.ErrorCode;
import org.weft.protocol.error.WeftException;
import org.weft.protocol.id.Lsn;

/** Turns frames, in the order of the log, into records and the newest whole snapshot. */
final class FrameReader {
  private final List<JournalRecord> records = new ArrayList<>();
  private final List<LiveEffect> parts = new ArrayList<>();
  private int nextPart;
  private List<LiveEffect> liveState = List.of();
  private Lsn snapshotLsn = Lsn.ZERO;
  private Lsn snapshotBase;
  private Lsn droppedBelow = Lsn.ZERO;
  private Lsn lastLsn = Lsn.ZERO;

  /** Reads one file. */
  Segment read(SegmentScan scan) throws WeftException {
    long count = 0;
    for (FrameCodec.Frame frame : scan.frames()) {
      if (frame.lsn().compareTo(lastLsn) < 0) {
        throw SegmentScan.damaged(
            scan.name(), frame.offsetBytes(), frame.lsn() + " stands behind " + lastLsn);
      }
      try {
        switch (frame.kind()) {
          case RECORD -> {
            readRecord(scan, frame);
            count++;
          }
          case SNAPSHOT -> readSnapshotPart(scan, frame);
          case MARK -> readMark(frame);
        }
      } catch (IllegalArgumentException e) {
        throw new WeftException(
            ErrorCode.VERSION_MISMATCH,
            "the journal file "
                + scan.name()
                + " cannot be read at offset "
                + frame.offsetBytes()
                + ": "
                + e.getMessage(),
            e);
      }
      lastLsn = frame.lsn();
    }
    return new Segment(scan.name(), scan.header().base(), lastLsn, count, scan.endBytes());
  }

  private void readRecord(SegmentScan scan, FrameCodec.Frame frame) throws WeftException {
    if (frame.lsn().equals(lastLsn)) {
      throw SegmentScan.damaged(
          scan.name(), frame.offsetBytes(), "the record " + frame.lsn() + " stands twice");
    }
    records.add(new JournalRecord(frame.lsn(), EffectCodec.decodeRecord(frame.body())));
    forgetParts();
  }

  private void readSnapshotPart(SegmentScan scan, FrameCodec.Frame frame) {
    EffectCodec.SnapshotPart part = EffectCodec.decodeSnapshotPart(frame.body());
    if (part.part() == 0) {
      forgetParts();
    }
    if (part.part() != nextPart) {
      throw new IllegalArgumentException(
          "part " + part.part() + " of a snapshot stands where part " + nextPart + " should");
    }
    parts.addAll(part.effects());
    nextPart++;
    if (part.last()) {
      liveState = List.copyOf(parts);
      snapshotLsn = frame.lsn();
      snapshotBase = scan.header().base();
      forgetParts();
    }
  }

  private void readMark(FrameCodec.Frame frame) {
    if (frame.body().remaining() != Long.BYTES) {
      throw new IllegalArgumentException("a mark has 8 bytes, got " + frame.body().remaining());
    }
    Lsn mark = new Lsn(frame.body().getLong(0));
    droppedBelow = mark.compareTo(droppedBelow) > 0 ? mark : droppedBelow;
  }

  private void forgetParts() {
    parts.clear();
    nextPart = 0;
  }

  /** The newest snapshot, and what of the records neither it nor a checkpoint covers. */
  JournalContents contents() {
    List<JournalRecord> rest = new ArrayList<>(records.size());
    for (JournalRecord record : records) {
      boolean inSnapshot = snapshotBase != null && record.lsn().compareTo(snapshotLsn) <= 0;
      boolean onOsds = record.lsn().compareTo(droppedBelow) < 0;
      List<Effect> needed = new ArrayList<>();
      for (Effect effect : record.effects()) {
        if (effect instanceof ObjectEffect ? !onOsds : !inSnapshot) {
          needed.add(effect);
        }
      }
      if (!needed.isEmpty()) {
        rest.add(new JournalRecord(record.lsn(), needed));
      }
    }
    return new JournalContents(liveState, rest, lastLsn);
  }

  /** Base of the file that the newest snapshot lies in. */
  Optional<Lsn> snapshotBase() {
    return Optional.ofNullable(snapshotBase);
  }
}
