package org.weft.metadata.objects.load;

import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.weft.metadata.directory.DirectoryBlock;
import org.weft.metadata.objects.Loaded;
import org.weft.metadata.objects.Loaded.LoadedBlocks;
import org.weft.metadata.objects.Missing.MissingBlocks;
import org.weft.metadata.objects.Missing.Source;
import org.weft.metadata.objects.OsdPort;
import org.weft.metadata.objects.OsdStates;
import org.weft.protocol.error.ErrorCode;
import org.weft.protocol.error.WeftException;
import org.weft.protocol.id.Lsn;
import org.weft.protocol.id.ObjectId;
import org.weft.protocol.id.OsdId;
import org.weft.protocol.seam.Ticker;

/**
 * Reads blocks of directories from one replica. It takes the next replica if that one cannot give
 * them or they are broken. Where each replica has lost some, it reads block by block. For redo,
 * compares the headers of all replicas and reads from the one that is furthest behind (P 6.3). A
 * replica that does not answer is waited for at first. Later it is taken as lagging.
 */
final class BlockLoad {
  private static final long PATIENCE_NANOS = TimeUnit.SECONDS.toNanos(10);

  /** With one that SysMgr has given up. */
  private static final long LITTLE_PATIENCE_NANOS = TimeUnit.SECONDS.toNanos(3);

  private final OsdPort port;
  private final OsdStates states;
  private final Ticker ticker;
  private final long startNanos;
  private final Set<OsdId> checkpointed = new HashSet<>();

  BlockLoad(OsdPort port, OsdStates states, Ticker ticker) {
    this.port = port;
    this.states = states;
    this.ticker = ticker;
    this.startNanos = ticker.nowNanos();
  }

  CompletionStage<Loaded> load(MissingBlocks missing) {
    if (missing.source() == Source.LOWEST) {
      return loadFromLowest(missing);
    }
    List<OsdId> order = new ArrayList<>();
    int count = missing.replicas().size();
    int shift = count == 0 ? 0 : (int) Long.remainderUnsigned(missing.object().value(), count);
    for (int index = 0; index < count; index++) {
      OsdId osd = missing.replicas().get((index + shift) % count);
      if (!states.isDown(osd)) {
        order.add(osd);
      }
    }
    return together(missing, order)
        .thenApply(
            read ->
                new LoadedBlocks(
                    missing.object(),
                    Source.ANY,
                    read.osds(),
                    List.of(),
                    read.blocks(),
                    missing.generation()));
  }

  private record Read(List<OsdId> osds, SortedMap<Integer, byte[]> blocks) {}

  /** Where each replica has lost some of the blocks, another may have those. */
  private CompletionStage<Read> together(MissingBlocks missing, List<OsdId> order) {
    return tryReplica(missing, order, 0, new Problems())
        .exceptionallyCompose(
            failure -> {
              boolean isLost = WeftException.of(failure).code() == ErrorCode.TOO_MANY_LOST;
              return isLost && missing.blocks().size() > 1
                  ? oneByOne(missing, order)
                  : CompletableFuture.failedStage(failure);
            });
  }

  private CompletionStage<Read> oneByOne(MissingBlocks missing, List<OsdId> order) {
    CompletionStage<Read> all =
        CompletableFuture.completedStage(new Read(List.of(), new TreeMap<>()));
    for (int number : missing.blocks()) {
      all =
          all.thenCompose(
              before ->
                  tryReplica(missing.withBlocks(List.of(number)), order, 0, new Problems())
                      .thenApply(read -> plus(before, read)));
    }
    return all;
  }

  private static Read plus(Read before, Read read) {
    SortedMap<Integer, byte[]> blocks = new TreeMap<>(before.blocks());
    blocks.putAll(read.blocks());
    return new Read(
        Stream.concat(before.osds().stream(), read.osds().stream()).distinct().toList(), blocks);
  }

  /** Why replicas did not give their blocks. */
  private static final class Problems {
    private final List<String> words = new ArrayList<>();
    private boolean mayPass;

    void add(WeftException problem) {
      words.add(problem.getMessage());
      // The next start of a store that has failed may still have its copy (P 5.8).
      mayPass |= !problem.code().isOfBlock() && problem.code() != ErrorCode.NO_SUCH_OBJECT;
    }
  }

  private CompletionStage<Read> tryReplica(
      MissingBlocks missing, List<OsdId> order, int index, Problems problems) {
    if (index == order.size()) {
      return CompletableFuture.failedStage(noReplica(missing, problems));
    }
    OsdId osd = order.get(index);
    return read(osd, missing.object(), missing.blocks())
        .handle(
            (blocks, failure) -> {
              if (failure == null) {
                return CompletableFuture.completedStage(new Read(List.of(osd), blocks));
              }
              problems.add(WeftException.of(failure));
              return tryReplica(missing, order, index + 1, problems);
            })
        .thenCompose(next -> next);
  }

  private WeftException noReplica(MissingBlocks missing, Problems problems) {
    List<OsdId> down = missing.replicas().stream().filter(states::isDown).toList();
    String message =
        "no replica gives blocks " + missing.blocks() + " of directory " + missing.object();
    if (!problems.words.isEmpty()) {
      message += ": " + String.join("; ", problems.words);
    }
    if (!down.isEmpty()) {
      message += "; OSDs " + down + " are down, bring one of them back";
    }
    boolean isLost = down.isEmpty() && !problems.mayPass;
    return new WeftException(isLost ? ErrorCode.TOO_MANY_LOST : ErrorCode.UNAVAILABLE, message);
  }

  /** The blocks, every one of them whole and of this directory. */
  private CompletionStage<SortedMap<Integer, byte[]>> read(
      OsdId osd, ObjectId directory, List<Integer> numbers) {
    return port.blocks(osd, directory, numbers)
        .thenCompose(
            blocks -> {
              for (int number : numbers) {
                byte[] block = blocks.get(number);
                Optional<String> problem =
                    block == null
                        ? Optional.of("it was never written")
                        : DirectoryBlock.problemOf(directory, number, block);
                if (problem.isPresent()) {
                  return CompletableFuture.failedStage(
                      new WeftException(
                          ErrorCode.BAD_CHECKSUM,
                          "OSD "
                              + osd
                              + ", block "
                              + number
                              + " of directory "
                              + directory
                              + ": "
                              + problem.get()));
                }
              }
              return CompletableFuture.completedStage(blocks);
            });
  }

  /** The headers of all replicas that have answered. */
  private static final class Comparison {
    final SortedMap<OsdId, byte[]> headers = new TreeMap<>();
    final SortedMap<OsdId, WeftException> unheard = new TreeMap<>();
  }

  private CompletionStage<Loaded> loadFromLowest(MissingBlocks missing) {
    Comparison comparison = new Comparison();
    List<CompletableFuture<?>> asked = new ArrayList<>();
    for (OsdId osd : missing.replicas()) {
      asked.add(
          checkpointed(osd)
              .thenCompose(done -> read(osd, missing.object(), List.of(DirectoryBlock.HEADER)))
              .handle(
                  (blocks, failure) -> {
                    if (failure == null) {
                      comparison.headers.put(osd, blocks.get(DirectoryBlock.HEADER));
                    } else {
                      comparison.unheard.put(osd, WeftException.of(failure));
                    }
                    return osd;
                  })
              .toCompletableFuture());
    }
    return CompletableFuture.allOf(asked.toArray(CompletableFuture[]::new))
        .thenCompose(all -> decide(missing, comparison));
  }

  /**
   * Redo brings the others from the lowest state on: no replica may lose what it has shown. No
   * other manager writes metadata since this one has fenced the OSDs, so once is enough.
   */
  private CompletionStage<Void> checkpointed(OsdId osd) {
    return checkpointed.contains(osd)
        ? CompletableFuture.completedStage(null)
        : port.checkpoint(osd).thenAccept(done -> checkpointed.add(osd));
  }

  private CompletionStage<Loaded> decide(MissingBlocks missing, Comparison comparison) {
    long sinceStartNanos = ticker.nowNanos() - startNanos;
    boolean waits =
        comparison.unheard.entrySet().stream()
            .anyMatch(
                each -> mayPass(each.getValue()) && sinceStartNanos < patience(each.getKey()));
    if (comparison.headers.isEmpty() || waits) {
      return CompletableFuture.failedStage(
          new WeftException(
              ErrorCode.UNAVAILABLE,
              "to recover directory "
                  + missing.object()
                  + " its replicas are compared: "
                  + comparison.unheard.values().stream().map(WeftException::getMessage).toList()));
    }
    Lsn lowest = null;
    for (byte[] header : comparison.headers.values()) {
      Lsn lsn = DirectoryBlock.lsnOf(header);
      lowest = lowest == null || lsn.compareTo(lowest) < 0 ? lsn : lowest;
    }
    List<OsdId> alike = new ArrayList<>();
    SortedMap<Integer, byte[]> blocks = new TreeMap<>();
    for (var header : comparison.headers.entrySet()) {
      if (DirectoryBlock.lsnOf(header.getValue()).equals(lowest)) {
        alike.add(header.getKey());
        blocks.put(DirectoryBlock.HEADER, header.getValue());
      }
    }
    return CompletableFuture.completedStage(
        new LoadedBlocks(
            missing.object(),
            Source.LOWEST,
            alike,
            List.copyOf(comparison.unheard.keySet()),
            blocks,
            missing.generation()));
  }

  private long patience(OsdId osd) {
    return states.isDown(osd) ? LITTLE_PATIENCE_NANOS : PATIENCE_NANOS;
  }

  /** It may answer a little later; the others have lost their copy. */
  private static boolean mayPass(WeftException failure) {
    return !failure.code().isDamage() && failure.code() != ErrorCode.NO_SUCH_OBJECT;
  }
}
