package org.weft.metadata.objects.osd;

import com.google.protobuf.ByteString;
import java.util.Collections;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.NavigableMap;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.Function;
import java.util.stream.Collectors;
import org.weft.metadata.attributes.Attributes;
import org.weft.metadata.directory.DirectoryBlock;
import org.weft.metadata.objects.CopyOutcome;
import org.weft.metadata.objects.CopyWrite;
import org.weft.metadata.objects.CopyWrite.RemoveCopy;
import org.weft.metadata.objects.CopyWrite.WriteAttributes;
import org.weft.metadata.objects.CopyWrite.WriteBlocks;
import org.weft.metadata.objects.FlushStamp;
import org.weft.metadata.objects.OsdPort;
import org.weft.protocol.error.ErrorCode;
import org.weft.protocol.error.WeftException;
import org.weft.protocol.id.Lsn;
import org.weft.protocol.id.ObjectId;
import org.weft.protocol.id.OsdId;
import org.weft.protocol.wire.ComponentTag;

/**
 * Changes that a volume in a check, not served (P 6.8d), would bring to its OSDs, laid over what
 * they hold. Reads ask the OSDs, and answer as if these had taken the changes. Writes reach no OSD
 * and are kept in memory. As on an OSD the larger LSN counts (P 6.3). Confined to the volume's
 * thread.
 */
public final class UnsentCopies implements OsdPort {
  /** About what a copy takes beside its blocks and its page. */
  private static final int COPY_BYTES = 500;

  /**
   * What one OSD would hold of an object.
   *
   * @param isAnew what the OSD holds of it now no longer counts, since it would have been removed
   * @param isThere false: the OSD would not have it
   * @param page attributes that would have been sent
   * @param tag of an object that the OSD does not have yet
   * @param eofBytes where the blocks that would have been sent end
   */
  public record Unsent(
      boolean isAnew, boolean isThere, Optional<Page> page, ComponentTag tag, long eofBytes) {}

  /** Attributes as they would be stored. */
  public record Page(Lsn lsn, Attributes attributes, ByteString bytes) {}

  private static final class Copy {
    private boolean isAnew;
    private boolean isThere;
    private Optional<Page> page = Optional.empty();
    private ComponentTag tag = ComponentTag.getDefaultInstance();
    private long eofBytes;
    private final SortedMap<Integer, byte[]> blocks = new TreeMap<>();

    Unsent unsent() {
      return new Unsent(isAnew, isThere, page, tag, eofBytes);
    }
  }

  private final OsdPort osds;
  private final Function<OsdId, OptionalLong> starts;
  private final long mostBytes;
  private final Runnable full;
  private final Map<OsdId, NavigableMap<ObjectId, Copy>> copies = new HashMap<>();
  private long bytes;

  /**
   * @param osds is read from alone
   * @param starts the start of each OSD, as SysMgr's table has it
   * @param mostBytes of memory
   * @param full runs when that is not enough: what is answered from then on is not to be believed
   */
  public UnsentCopies(
      OsdPort osds, Function<OsdId, OptionalLong> starts, long mostBytes, Runnable full) {
    this.osds = osds;
    this.starts = starts;
    this.mostBytes = mostBytes;
    this.full = full;
  }

  /** What the OSD has not been sent of the object. */
  public Optional<Unsent> unsent(OsdId osd, ObjectId object) {
    return copy(osd, object).map(Copy::unsent);
  }

  /** The same of all objects behind that one, in their order. */
  public SortedMap<ObjectId, Unsent> unsentAfter(OsdId osd, ObjectId after) {
    SortedMap<ObjectId, Unsent> all = new TreeMap<>();
    copies
        .getOrDefault(osd, Collections.emptyNavigableMap())
        .tailMap(after, false)
        .forEach((object, copy) -> all.put(object, copy.unsent()));
    return all;
  }

  private Optional<Copy> copy(OsdId osd, ObjectId object) {
    return Optional.ofNullable(
        copies.getOrDefault(osd, Collections.emptyNavigableMap()).get(object));
  }

  @Override
  public CompletionStage<StoredAttributes> attributes(OsdId osd, ObjectId object) {
    Optional<Copy> copy = copy(osd, object);
    if (copy.isEmpty()) {
      return osds.attributes(osd, object);
    }
    Optional<StoredAttributes> own = stored(copy.get());
    if (copy.get().isAnew) {
      return own.<CompletionStage<StoredAttributes>>map(CompletableFuture::completedFuture)
          .orElseGet(() -> CompletableFuture.failedFuture(none(osd, object)));
    }
    return osds.attributes(osd, object)
        .handle(
            (found, failure) -> {
              if (failure == null) {
                return CompletableFuture.completedFuture(newer(found, own));
              }
              WeftException why = WeftException.of(failure);
              return own.isPresent() && isAnswer(why)
                  ? CompletableFuture.completedFuture(own.get())
                  : CompletableFuture.<StoredAttributes>failedFuture(why);
            })
        .thenCompose(answer -> answer);
  }

  /**
   * The OSD has nothing that can be read: it would take what it is sent. Not so BAD_MEDIA, which of
   * attributes says that its tables cannot be read.
   */
  private static boolean isAnswer(WeftException why) {
    return why.code() == ErrorCode.NO_SUCH_OBJECT || why.code() == ErrorCode.BAD_CHECKSUM;
  }

  private static StoredAttributes newer(StoredAttributes found, Optional<StoredAttributes> own) {
    return own.filter(each -> each.lsn().compareTo(found.lsn()) > 0).orElse(found);
  }

  private static Optional<StoredAttributes> stored(Copy copy) {
    return copy.page.map(page -> new StoredAttributes(page.attributes(), page.lsn()));
  }

  private static WeftException none(OsdId osd, ObjectId object) {
    return new WeftException(
        ErrorCode.NO_SUCH_OBJECT, "OSD %s has nothing of object %s".formatted(osd, object));
  }

  @Override
  public CompletionStage<Map<ObjectId, Optional<StoredAttributes>>> attributesOf(
      OsdId osd, List<ObjectId> objects) {
    return osds.attributesOf(osd, objects)
        .thenApply(
            found -> {
              Map<ObjectId, Optional<StoredAttributes>> all = new HashMap<>(found);
              objects.forEach(
                  object -> copy(osd, object).ifPresent(copy -> lay(all, object, copy)));
              return all;
            });
  }

  private static void lay(
      Map<ObjectId, Optional<StoredAttributes>> all, ObjectId object, Copy copy) {
    Optional<StoredAttributes> own = stored(copy);
    Optional<StoredAttributes> found = all.get(object);
    if (copy.isAnew) {
      all.put(object, own);
    } else if (own.isPresent()) {
      all.put(
          object, found == null || found.isEmpty() ? own : Optional.of(newer(found.get(), own)));
    }
  }

  @Override
  public CompletionStage<SortedMap<Integer, byte[]>> blocks(
      OsdId osd, ObjectId directory, List<Integer> numbers) {
    Optional<Copy> copy = copy(osd, directory);
    if (copy.isEmpty()) {
      return osds.blocks(osd, directory, numbers);
    }
    SortedMap<Integer, byte[]> own = new TreeMap<>(copy.get().blocks);
    own.keySet().retainAll(numbers);
    if (copy.get().isAnew) {
      return copy.get().isThere
          ? CompletableFuture.completedFuture(own)
          : CompletableFuture.failedFuture(none(osd, directory));
    }
    boolean isThere = copy.get().isThere;
    return osds.blocks(osd, directory, numbers)
        .handle(
            (found, failure) -> {
              if (failure == null) {
                own.forEach((number, block) -> found.merge(number, block, UnsentCopies::newer));
                return CompletableFuture.completedFuture(found);
              }
              WeftException why = WeftException.of(failure);
              return isThere && why.code() == ErrorCode.NO_SUCH_OBJECT
                  ? CompletableFuture.completedFuture(own)
                  : CompletableFuture.<SortedMap<Integer, byte[]>>failedFuture(why);
            })
        .thenCompose(answer -> answer);
  }

  private static byte[] newer(byte[] found, byte[] own) {
    return DirectoryBlock.lsnOf(own).compareTo(DirectoryBlock.lsnOf(found)) > 0 ? own : found;
  }

  @Override
  public CompletionStage<List<CopyOutcome>> write(
      OsdId osd, long incarnation, List<CopyWrite> writes, FlushStamp stamp) {
    writes.forEach(
        write -> {
          Copy copy =
              copies
                  .computeIfAbsent(osd, key -> new TreeMap<>())
                  .computeIfAbsent(write.object(), key -> counted(new Copy()));
          take(copy, write);
        });
    if (bytes > mostBytes) {
      full.run();
    }
    return CompletableFuture.completedFuture(
        writes.stream().map(write -> CopyOutcome.taken(0)).collect(Collectors.toList()));
  }

  private Copy counted(Copy made) {
    bytes += COPY_BYTES;
    return made;
  }

  private void take(Copy copy, CopyWrite write) {
    if (write instanceof WriteAttributes attributes) {
      copy.isThere = true;
      copy.tag = attributes.attributes().map().tag(attributes.componentIndex());
      boolean isNewer =
          copy.page.isEmpty() || attributes.lsn().compareTo(copy.page.get().lsn()) > 0;
      if (isNewer) {
        bytes -= copy.page.map(page -> page.bytes().size()).orElse(0);
        copy.page =
            Optional.of(
                new Page(attributes.lsn(), attributes.attributes(), attributes.page().bytes()));
        bytes += copy.page.get().bytes().size();
      }
    } else if (write instanceof WriteBlocks blocks) {
      copy.isThere = true;
      copy.tag = blocks.map().tag(blocks.componentIndex());
      copy.eofBytes = Math.max(copy.eofBytes, (long) blocks.endBlock() * DirectoryBlock.BYTES);
      blocks
          .blocks()
          .forEach(
              (number, block) -> {
                bytes += copy.blocks.containsKey(number) ? 0 : block.length;
                copy.blocks.merge(number, block, UnsentCopies::newer);
              });
    } else if (write instanceof RemoveCopy) {
      bytes -= copy.page.map(page -> page.bytes().size()).orElse(0);
      bytes -= copy.blocks.values().stream().mapToLong(block -> block.length).sum();
      copy.isAnew = true;
      copy.isThere = false;
      copy.page = Optional.empty();
      copy.blocks.clear();
      copy.eofBytes = 0;
    } else {
      throw new AssertionError("unhandled write: " + write);
    }
  }

  /** The start that SysMgr knows; nothing that was "taken" is ever waited for. */
  @Override
  public CompletionStage<CheckpointState> status(OsdId osd) {
    OptionalLong start = starts.apply(osd);
    return start.isPresent()
        ? CompletableFuture.completedFuture(new CheckpointState(start.getAsLong(), 0))
        : CompletableFuture.failedFuture(
            new WeftException(ErrorCode.UNAVAILABLE, "OSD " + osd + " is not known to SysMgr"));
  }

  @Override
  public CompletionStage<Void> checkpoint(OsdId osd) {
    return CompletableFuture.completedFuture(null);
  }
}
