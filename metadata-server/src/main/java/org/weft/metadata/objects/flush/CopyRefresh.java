package org.weft.metadata.objects.flush;

import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Optional;
import java.util.SortedMap;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.Function;
import java.util.function.Supplier;
import java.util.stream.IntStream;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.weft.metadata.attributes.Attributes;
import org.weft.metadata.journal.LiveEffect.LaggingAdded;
import org.weft.metadata.journal.LiveEffect.LaggingKind;
import org.weft.metadata.objects.CopyWrite;
import org.weft.metadata.objects.CopyWrite.RemoveCopy;
import org.weft.metadata.objects.CopyWrite.WriteAttributes;
import org.weft.metadata.objects.CopyWrite.WriteBlocks;
import org.weft.metadata.objects.FlushStamp;
import org.weft.metadata.objects.Loadable;
import org.weft.metadata.objects.ObjectLoader;
import org.weft.metadata.objects.cache.LaggingCopies.Lag;
import org.weft.protocol.error.ErrorCode;
import org.weft.protocol.error.WeftException;
import org.weft.protocol.id.Lsn;
import org.weft.protocol.id.ObjectId;
import org.weft.protocol.id.OsdId;

/** Writes one lagging copy from the others. Confined to the volume's thread. */
final class CopyRefresh {
  private static final Logger LOG = LoggerFactory.getLogger(CopyRefresh.class);
  private static final int BLOCKS_AT_ONCE = 128;
  private static final int LOADS = 8;

  private final FlushContext context;
  private final ObjectLoader loader;
  private final Function<Lsn, CompletionStage<Void>> becomesDurable;

  CopyRefresh(
      FlushContext context,
      ObjectLoader loader,
      Function<Lsn, CompletionStage<Void>> becomesDurable) {
    this.context = context;
    this.loader = loader;
    this.becomesDurable = becomesDurable;
  }

  /**
   * The copy to be written, the incarnation of its OSD, and as of when the object is known to be
   * there.
   */
  private record Job(OsdId osd, long incarnation, ObjectId object, FlushStamp stamp) {
    Job asOf(FlushStamp now) {
      return new Job(osd, incarnation, object, now);
    }
  }

  /** True if the copy has everything; false if there is nothing to write it from at present. */
  CompletionStage<Boolean> refresh(Lag lag, long incarnation) {
    LaggingAdded about = lag.effect();
    Job job = new Job(about.osd(), incarnation, about.object(), now());
    if (about.kind() == LaggingKind.REMOVE) {
      return write(job, new RemoveCopy(about.object(), about.lsn()));
    }
    return answered(() -> context.cache().attributes(about.object(), List.of()), LOADS)
        .thenCompose(found -> writeAttributes(job.asOf(now()), found));
  }

  /** Beside a round that is under way, whose floor may be another one. */
  private FlushStamp now() {
    return context.cache().stamp().withoutFloor();
  }

  private CompletionStage<Boolean> writeAttributes(Job job, Optional<Attributes> found) {
    ObjectId object = job.object();
    if (found.isEmpty()) {
      LOG.debug("object {} has no copy to write another from: {}", object, reason(object));
      return CompletableFuture.completedStage(false);
    }
    Attributes attributes = found.get();
    Integer index = context.cache().attributeCopies(attributes.map()).get(job.osd());
    if (index == null) {
      return CompletableFuture.completedStage(true);
    }
    Lsn lsn = context.cache().attributesLsn(object);
    // The floor covers grants that have ended meanwhile.
    boolean silent =
        attributes.isDirectory()
            || context.states().mayHaveLostWrites(job.osd(), job.incarnation());
    Lsn floor = silent ? Lsn.ZERO : context.cache().lowestGrant(object).orElse(lsn);
    CopyWrite write =
        new WriteAttributes(attributes, lsn, index, Collections.emptySortedMap(), floor);
    // The WAL rule: the cache may be ahead of the journal.
    CompletionStage<Boolean> written =
        becomesDurable.apply(lsn).thenCompose(durable -> write(job, write));
    return attributes.isDirectory()
        ? written.thenCompose(
            done -> done ? writeBlocks(job, attributes) : CompletableFuture.completedStage(false))
        : written;
  }

  private String reason(ObjectId object) {
    return context.cache().lostReason(object);
  }

  private CompletionStage<Boolean> writeBlocks(Job job, Attributes attributes) {
    Integer index = context.cache().directoryCopies(attributes.map()).get(job.osd());
    List<OsdId> sources = sourcesFor(job, attributes);
    if (index == null) {
      return CompletableFuture.completedStage(true);
    }
    if (sources.isEmpty()) {
      return CompletableFuture.completedStage(false);
    }
    return answered(() -> context.cache().endBlock(job.object()), LOADS)
        .thenCompose(end -> copyFromAny(sources, job, attributes, index, end));
  }

  private List<OsdId> sourcesFor(Job job, Attributes attributes) {
    return context.cache().directoryCopies(attributes.map()).keySet().stream()
        .filter(osd -> !context.cache().lagging().isLagging(osd, job.object()))
        .filter(osd -> !context.states().isDown(osd))
        .toList();
  }

  /** One that is up may have rotted, and stays so: then the next. */
  private CompletionStage<Boolean> copyFromAny(
      List<OsdId> sources, Job job, Attributes attributes, int index, int end) {
    return copyFrom(sources.get(0), job, attributes, index, 0, end)
        .exceptionallyCompose(
            failure ->
                sources.size() > 1
                    ? copyFromAny(sources.subList(1, sources.size()), job, attributes, index, end)
                    : CompletableFuture.failedStage(failure));
  }

  private CompletionStage<Boolean> copyFrom(
      OsdId source, Job job, Attributes attributes, int index, int from, int end) {
    if (from >= end) {
      return CompletableFuture.completedStage(true);
    }
    int to = Math.min(end, from + BLOCKS_AT_ONCE);
    List<Integer> numbers = IntStream.range(from, to).boxed().toList();
    return context
        .port()
        .blocks(source, job.object(), numbers)
        .thenCompose(blocks -> writeSome(job, attributes, index, end, blocks))
        .thenCompose(
            done ->
                done
                    ? copyFrom(source, job, attributes, index, to, end)
                    : CompletableFuture.completedStage(false));
  }

  private CompletionStage<Boolean> writeSome(
      Job job, Attributes attributes, int index, int end, SortedMap<Integer, byte[]> blocks) {
    return blocks.isEmpty()
        ? CompletableFuture.completedStage(true)
        : write(job, new WriteBlocks(job.object(), attributes.map(), index, end, blocks));
  }

  private CompletionStage<Boolean> write(Job job, CopyWrite write) {
    return context
        .port()
        .write(job.osd(), job.incarnation(), List.of(write), job.stamp())
        .thenApply(outcomes -> outcomes.get(0).refusal())
        .thenCompose(CopyRefresh::taken);
  }

  /** BUSY: a round has come between, or too much is pending there; the next time, as of then. */
  private static CompletionStage<Boolean> taken(WeftException refusal) {
    if (refusal == null || refusal.code() == ErrorCode.TOMBSTONE) {
      return CompletableFuture.completedStage(true);
    }
    return refusal.code() == ErrorCode.BUSY
        ? CompletableFuture.completedStage(false)
        : CompletableFuture.failedStage(refusal);
  }

  /** What the cache answers, after as many loads as it takes. */
  private <T> CompletionStage<T> answered(Supplier<Loadable<T>> question, int loadsLeft) {
    Loadable<T> answer = question.get();
    if (answer.isReady()) {
      return CompletableFuture.completedStage(answer.value());
    }
    if (loadsLeft == 0) {
      return CompletableFuture.failedStage(
          new WeftException(ErrorCode.OVERLOADED, "the cache cannot hold " + answer.missing()));
    }
    return loader
        .load(answer.missing())
        .thenCompose(
            found -> {
              context.cache().loaded(new ArrayList<>(found));
              return answered(question, loadsLeft - 1);
            });
  }
}
