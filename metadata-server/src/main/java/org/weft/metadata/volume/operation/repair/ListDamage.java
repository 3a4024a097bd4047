package org.weft.metadata.volume.operation.repair;

import com.google.protobuf.MessageLite;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.HashSet;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.SortedSet;
import java.util.TreeSet;
import org.weft.metadata.attributes.Attributes;
import org.weft.metadata.attributes.ParentHint;
import org.weft.metadata.journal.LiveEffect.FileDamaged;
import org.weft.metadata.journal.ScrubEffect.Contradicted;
import org.weft.metadata.objects.Missing;
import org.weft.metadata.repair.BadFile;
import org.weft.metadata.repair.GoneBytes;
import org.weft.metadata.repair.LostFiles;
import org.weft.metadata.repair.OsdsToEmpty;
import org.weft.metadata.repair.RebuildNeed;
import org.weft.metadata.volume.execution.Execution;
import org.weft.metadata.volume.execution.Operation;
import org.weft.metadata.volume.state.NeedsInput;
import org.weft.protocol.error.ErrorCode;
import org.weft.protocol.error.WeftException;
import org.weft.protocol.id.ObjectId;
import org.weft.protocol.id.OsdId;
import org.weft.protocol.layout.ByteRanges;
import org.weft.protocol.wire.DamagedFile;
import org.weft.protocol.wire.ListDamageReply;

/**
 * Lists the files that have lost bytes, and these bytes. It has those that the journal names, and
 * those that have lost more components than their code bears, as far as found (P 6.8). It also has
 * those with bad blocks that cannot be written anew (P 6.8b), and those whose parity and data
 * contradict each other (P 6.8f).
 *
 * @param after behind this object
 * @param max at most so many
 */
public record ListDamage(ObjectId after, int max) implements Operation {
  private static final int MAX = 1_000;

  /** The volume's other clients wait while stripes are looked at: so many for one answer. */
  private static final long MAX_STRIPES = 100_000;

  /** Stripes that are read of each file at least. */
  private static final long MIN_STRIPES = 100;

  public ListDamage {
    Objects.requireNonNull(after, "after");
  }

  /**
   * @throws WeftException PERMISSION_DENIED unless the caller is the superuser or in group
   *     "supergroup"
   */
  @Override
  public MessageLite execute(Execution on) throws NeedsInput, WeftException {
    if (!on.credentials().superuser()) {
      throw new WeftException(
          ErrorCode.PERMISSION_DENIED,
          "only the superuser and members of group \"supergroup\" are told of all damaged files");
    }
    int most = Math.max(1, Math.min(MAX, max));
    LostFiles lost = on.lostFiles();
    SortedSet<ObjectId> objects = new TreeSet<>(on.damaged().tailMap(after).keySet());
    objects.addAll(lost.objects().tailSet(after));
    objects.addAll(on.damagedFiles().tailMap(after).keySet());
    objects.addAll(on.contradicted().tailMap(after).keySet());
    objects.remove(after);
    ListDamageReply.Builder reply = ListDamageReply.newBuilder();
    Deque<ObjectId> left = new ArrayDeque<>(objects);
    long stripesLeft = MAX_STRIPES;
    while (!left.isEmpty() && reply.getFilesCount() == 0) {
      List<ObjectId> page = new ArrayList<>();
      while (!left.isEmpty() && page.size() < most) {
        page.add(left.removeFirst());
      }
      load(on, page);
      for (ObjectId object : page) {
        stripesLeft -= find(on, object, lost, stripesLeft, reply);
      }
    }
    reply.setMore(!left.isEmpty());
    on.view().sawAll();
    return reply.build();
  }

  @Override
  public boolean isAnsweredOnce() {
    return false;
  }

  /** Has all that is not cached loaded at once, before anything is computed. */
  private static void load(Execution on, List<ObjectId> page) throws NeedsInput {
    Set<Missing> missing = new LinkedHashSet<>();
    for (ObjectId object : page) {
      try {
        Optional<Attributes> file = file(on, object);
        if (file.isPresent()) {
          path(on, file.get());
        }
      } catch (NeedsInput e) {
        missing.addAll(e.missing());
      }
    }
    if (!missing.isEmpty()) {
      throw new NeedsInput(List.copyOf(missing));
    }
  }

  /** Adds the file if it has lost bytes; the number of stripes that were looked at. */
  private static long find(
      Execution on,
      ObjectId object,
      LostFiles lost,
      long mostStripes,
      ListDamageReply.Builder reply)
      throws NeedsInput {
    FileDamaged damage = damage(on, object);
    Optional<Contradicted> doubt = Optional.ofNullable(on.contradicted().get(object));
    Optional<Attributes> there = file(on, object);
    if (there.isEmpty()) {
      if (damage != null || doubt.isPresent()) {
        List<String> what = new ArrayList<>();
        Optional.ofNullable(damage).ifPresent(each -> what.add(each.what()));
        doubt.ifPresent(each -> what.add(each.what()));
        ByteRanges gone = damage == null ? ByteRanges.NONE : damage.gone();
        reply.addFiles(message(new Lost(object, "", gone, false, 0), what, doubt));
      }
      return 0;
    }
    Attributes file = there.get();
    SortedSet<OsdId> gone = new TreeSet<>(lost.lost());
    gone.removeIf(osd -> !on.cluster().isDown(osd));
    SortedSet<Integer> hopeless = RebuildNeed.of(file, OsdsToEmpty.lost(gone)).hopeless();
    boolean isLost = damage != null || !hopeless.isEmpty();
    if (!isLost && doubt.isEmpty()) {
      return 0;
    }
    GoneBytes.Found found =
        GoneBytes.of(
            file.map().layout(),
            file.sizeBytes(),
            hopeless,
            FileDamaged.MAX_GONE,
            Math.max(MIN_STRIPES, mostStripes));
    List<String> what = new ArrayList<>();
    if (isLost) {
      what.add(damage == null ? BeginRebuild.hopeless(file, hopeless).getMessage() : damage.what());
    }
    doubt.ifPresent(each -> what.add(each.what()));
    ByteRanges all = damage == null ? found.bytes() : found.bytes().plus(damage.gone());
    reply.addFiles(
        message(
            new Lost(object, path(on, file), all, found.more(), file.sizeBytes()), what, doubt));
    return found.stripes();
  }

  /** What the journal names, and blocks that cannot be written anew; null if there is nothing. */
  private static FileDamaged damage(Execution on, ObjectId object) {
    FileDamaged journalled = on.damaged().get(object);
    BadFile blocks = on.damagedFiles().get(object);
    if (blocks == null) {
      return journalled;
    }
    return journalled == null
        ? new FileDamaged(object, blocks.what(), blocks.gone())
        : new FileDamaged(object, journalled.what(), journalled.gone().plus(blocks.gone()));
  }

  /** Empty if no OSD has its attributes. */
  private static Optional<Attributes> file(Execution on, ObjectId object) throws NeedsInput {
    try {
      return Optional.of(on.view().attributes(object, List.of(), "object " + object));
    } catch (WeftException e) {
      return Optional.empty();
    }
  }

  /** From the volume's root, by where the node was when its attributes were last written. */
  private static String path(Execution on, Attributes file) throws NeedsInput {
    Deque<String> names = new ArrayDeque<>();
    Set<ObjectId> seen = new HashSet<>();
    Attributes node = file;
    while (!node.object().equals(ObjectId.ROOT)) {
      ParentHint parent = node.parent();
      Optional<Attributes> above =
          parent.equals(ParentHint.MANY) || !seen.add(node.object())
              ? Optional.empty()
              : file(on, parent.directory());
      if (above.isEmpty()) {
        return "";
      }
      names.addFirst(parent.name());
      node = above.get();
    }
    return "/" + String.join("/", names);
  }

  /** What a file has lost, as far as known. */
  private record Lost(
      ObjectId object, String path, ByteRanges gone, boolean more, long sizeBytes) {}

  private static DamagedFile message(Lost lost, List<String> what, Optional<Contradicted> doubt) {
    ByteRanges inDoubt = doubt.map(Contradicted::inDoubt).orElse(ByteRanges.NONE);
    DamagedFile.Builder message =
        DamagedFile.newBuilder()
            .setObjectId(lost.object().value())
            .setPath(lost.path())
            .setWhat(String.join("; ", what))
            .setSizeBytes(lost.sizeBytes())
            .setMoreRanges(
                lost.more()
                    || lost.gone().size() >= FileDamaged.MAX_GONE
                    || inDoubt.size() >= FileDamaged.MAX_GONE);
    lost.gone().list().stream()
        .limit(FileDamaged.MAX_GONE)
        .forEach(range -> message.addGone(range.toMessage()));
    return message.addAllInDoubt(inDoubt.toMessages()).build();
  }
}
