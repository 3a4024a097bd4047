package org.weft.metadata.check;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import org.weft.metadata.attributes.Attributes;
import org.weft.metadata.directory.DirectoryBlock;
import org.weft.protocol.id.ObjectId;
import org.weft.protocol.id.OsdId;
import org.weft.protocol.rpc.ErrorCode;
import org.weft.protocol.rpc.RpcException;

/**
 * Compares the copies of a directory block by block, some blocks at a time. Those that are known to
 * be out of date are left out. On the volume's thread.
 */
final class DirectoryCopies {
  private static final int BLOCKS_AT_ONCE = 64;

  private final CheckedVolume volume;
  private final Steps steps;
  private final SecondLook second;

  /** What copies have of some blocks. */
  private static final class Copies {
    final SortedMap<OsdId, SortedMap<Integer, byte[]>> blocks = new TreeMap<>();
    final SortedMap<OsdId, String> damaged = new TreeMap<>();

    /** As the newest header says; 0 if there is none. */
    int endBlock() {
      byte[] newest = null;
      for (SortedMap<Integer, byte[]> copy : blocks.values()) {
        byte[] header = copy.get(DirectoryBlock.HEADER);
        boolean isNewer =
            header != null
                && (newest == null
                    || DirectoryBlock.lsnOf(header).compareTo(DirectoryBlock.lsnOf(newest)) > 0);
        newest = isNewer ? header : newest;
      }
      return newest == null ? 0 : DirectoryBlock.endBlockOf(newest);
    }
  }

  DirectoryCopies(CheckedVolume volume, Steps steps, SecondLook second) {
    this.volume = volume;
    this.steps = steps;
    this.second = second;
  }

  CompletionStage<Void> compare(Attributes directory, LiveNode live) {
    return read(directory, live, List.of())
        .thenCompose(
            headers -> {
              List<List<Integer>> parts = new ArrayList<>();
              int end = Math.max(1, headers.endBlock());
              for (int from = 0; from < end; from += BLOCKS_AT_ONCE) {
                List<Integer> part = new ArrayList<>();
                for (int number = from; number < Math.min(end, from + BLOCKS_AT_ONCE); number++) {
                  part.add(number);
                }
                parts.add(part);
              }
              return steps.each(parts, part -> compare(directory, live, part));
            });
  }

  private CompletionStage<Void> compare(
      Attributes directory, LiveNode live, List<Integer> numbers) {
    return read(directory, live, numbers)
        .thenCompose(
            copies ->
                differences(directory.object(), copies, numbers).isEmpty()
                    ? CompletableFuture.completedStage(null)
                    : second.at(
                        directory.object(),
                        (objects, states) -> readAgain(directory.object(), states, numbers),
                        (state, again) -> differences(directory.object(), again, numbers)));
  }

  private CompletionStage<Copies> readAgain(
      ObjectId directory, Map<ObjectId, NodeState> states, List<Integer> numbers) {
    NodeState state = states.get(directory);
    return state == null || state.attributes().isEmpty() || state.live().removed()
        ? CompletableFuture.completedStage(new Copies())
        : read(state.attributes().get(), state.live(), numbers);
  }

  /** The header, and these; of the copies that answer. */
  private CompletionStage<Copies> read(Attributes directory, LiveNode live, List<Integer> numbers) {
    Copies copies = new Copies();
    List<Integer> wanted = new ArrayList<>(List.of(DirectoryBlock.HEADER));
    numbers.stream().filter(number -> number != DirectoryBlock.HEADER).forEach(wanted::add);
    List<CompletableFuture<?>> asked = new ArrayList<>();
    for (OsdId osd : volume.directoryCopies(directory.map()).keySet()) {
      if (!live.explains(osd) && volume.serving().contains(osd)) {
        asked.add(
            volume
                .blocks(osd, directory.object(), wanted)
                .handle((blocks, failure) -> heard(copies, osd, blocks, failure))
                .toCompletableFuture());
      }
    }
    return CompletableFuture.allOf(asked.toArray(CompletableFuture[]::new))
        .thenApply(nothing -> copies);
  }

  private static Void heard(
      Copies copies, OsdId osd, SortedMap<Integer, byte[]> blocks, Throwable failure) {
    if (failure == null) {
      copies.blocks.put(osd, blocks);
    } else if (RpcException.of(failure).code() == ErrorCode.BAD_CHECKSUM) {
      copies.damaged.put(osd, RpcException.of(failure).getMessage());
    }
    return null;
  }

  private static List<Suspicion> differences(
      ObjectId directory, Copies copies, List<Integer> numbers) {
    List<Suspicion> all = new ArrayList<>();
    copies.damaged.forEach(
        (osd, why) ->
            all.add(
                Suspicion.on(
                    osd,
                    FindingKind.DIRECTORY_COPIES_DIFFER,
                    directory,
                    "the copy of directory %s on osd-%s cannot be read: %s"
                        .formatted(directory, osd, why))));
    int end = copies.endBlock();
    for (int number : numbers) {
      if (number < end || number == DirectoryBlock.HEADER) {
        difference(directory, copies, number, all);
      }
    }
    return all;
  }

  private static void difference(
      ObjectId directory, Copies copies, int number, List<Suspicion> all) {
    OsdId best = null;
    for (OsdId osd : copies.blocks.keySet()) {
      if (best == null || compare(copies, osd, best, number) > 0) {
        best = osd;
      }
    }
    for (OsdId osd : copies.blocks.keySet()) {
      byte[] block = copies.blocks.get(osd).get(number);
      byte[] newest = copies.blocks.get(best).get(number);
      Optional<String> problem =
          block == null
              ? Optional.of("it was never written there")
              : DirectoryBlock.problemOf(directory, number, block);
      if (problem.isPresent() || !Arrays.equals(block, newest)) {
        all.add(
            Suspicion.on(
                osd,
                FindingKind.DIRECTORY_COPIES_DIFFER,
                directory,
                "block %d of directory %s differs on osd-%s from osd-%s%s"
                    .formatted(
                        number,
                        directory,
                        osd,
                        best,
                        problem.map(why -> ": " + why).orElse(", which is newer or as new"))));
      }
    }
  }

  private static int compare(Copies copies, OsdId one, OsdId other, int number) {
    byte[] a = copies.blocks.get(one).get(number);
    byte[] b = copies.blocks.get(other).get(number);
    if (a == null || b == null) {
      return Boolean.compare(a != null, b != null);
    }
    return DirectoryBlock.lsnOf(a).compareTo(DirectoryBlock.lsnOf(b));
  }
}
