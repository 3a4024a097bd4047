package org.weft.metadata.volume;

import com.google.protobuf.MessageLite;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.HashSet;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.SortedSet;
import java.util.TreeSet;
import org.weft.metadata.attributes.Attributes;
import org.weft.metadata.attributes.ParentHint;
import org.weft.metadata.journal.LiveEffect.FileDamaged;
import org.weft.metadata.repair.GoneBytes;
import org.weft.metadata.repair.LostFiles;
import org.weft.metadata.repair.OsdsToEmpty;
import org.weft.metadata.repair.RebuildNeed;
import org.weft.protocol.id.ObjectId;
import org.weft.protocol.id.OsdId;
import org.weft.protocol.layout.ByteRange;
import org.weft.protocol.layout.ByteRanges;
import org.weft.protocol.rpc.ErrorCode;
import org.weft.protocol.rpc.RpcException;
import org.weft.protocol.wire.DamagedFile;
import org.weft.protocol.wire.ListDamageReply;

/**
 * Tells which files have lost bytes, and which bytes these are: those that the journal names, and
 * those that have lost more components than their code bears, as far as they have been found (P
 * 6.8).
 *
 * @param after behind this object
 * @param max at most so many
 */
public record ListDamage(ObjectId after, int max) implements Operation {
  private static final int MOST = 1_000;

  public ListDamage {
    Objects.requireNonNull(after, "after");
  }

  /**
   * @throws RpcException PERMISSION_DENIED but for the superuser and group "supergroup"
   */
  @Override
  public MessageLite execute(Execution on) throws NotCached, RpcException {
    if (!on.credentials().superuser()) {
      throw new RpcException(
          ErrorCode.PERMISSION_DENIED,
          "only the superuser and members of group \"supergroup\" are told of all damaged files");
    }
    int most = Math.max(1, Math.min(MOST, max));
    LostFiles lost = on.lostFiles();
    SortedSet<ObjectId> objects = new TreeSet<>(on.damaged().keySet());
    objects.addAll(lost.objects());
    ListDamageReply.Builder reply = ListDamageReply.newBuilder();
    for (ObjectId object : objects.tailSet(after)) {
      if (object.equals(after)) {
        continue;
      }
      if (reply.getFilesCount() == most) {
        reply.setMore(true);
        break;
      }
      find(on, object, lost).ifPresent(reply::addFiles);
    }
    on.view().sawAll();
    return reply.build();
  }

  private static Optional<DamagedFile> find(Execution on, ObjectId object, LostFiles lost)
      throws NotCached, RpcException {
    FileDamaged damage = on.damaged().get(object);
    Optional<Attributes> found = file(on, object);
    if (found.isEmpty()) {
      return Optional.ofNullable(damage)
          .map(each -> message(object, "", each.what(), each.gone(), 0));
    }
    Attributes file = found.get();
    SortedSet<OsdId> gone = new TreeSet<>(lost.lost());
    gone.removeIf(osd -> !on.cluster().isDown(osd));
    SortedSet<Integer> hopeless = RebuildNeed.of(file, OsdsToEmpty.lost(gone)).hopeless();
    ByteRanges bytes =
        GoneBytes.of(file.map().layout(), file.sizeBytes(), hopeless, FileDamaged.MOST_GONE);
    if (damage == null && hopeless.isEmpty()) {
      return Optional.empty();
    }
    String what =
        damage == null ? BeginRebuild.hopeless(file, hopeless).getMessage() : damage.what();
    ByteRanges all = damage == null ? bytes : bytes.plus(damage.gone());
    return Optional.of(message(object, path(on, file), what, all, file.sizeBytes()));
  }

  /** Empty if no OSD has its attributes. */
  private static Optional<Attributes> file(Execution on, ObjectId object) throws NotCached {
    try {
      return Optional.of(on.view().attributes(object, List.of(), "object " + object));
    } catch (RpcException e) {
      return Optional.empty();
    }
  }

  /** From the volume's root, by where the node was when its attributes were last written. */
  private static String path(Execution on, Attributes file) throws NotCached {
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

  private static DamagedFile message(
      ObjectId object, String path, String what, ByteRanges gone, long sizeBytes) {
    DamagedFile.Builder message =
        DamagedFile.newBuilder()
            .setObjectId(object.value())
            .setPath(path)
            .setWhat(what)
            .setSizeBytes(sizeBytes)
            .setMoreRanges(gone.size() >= FileDamaged.MOST_GONE);
    gone.list().stream().limit(FileDamaged.MOST_GONE).forEach(range -> add(message, range));
    return message.build();
  }

  private static void add(DamagedFile.Builder message, ByteRange range) {
    message.addFrom(range.from()).addTo(range.to());
  }
}
