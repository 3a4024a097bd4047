package org.weft.osd.command.write;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;
import org.junit.jupiter.api.Test;
import org.weft.osd.command.request.CommandReply;
import org.weft.osd.command.turn.FrameCommand;
import org.weft.osd.harness.FakeInbound;
import org.weft.osd.harness.StubStore;
import org.weft.osd.store.MutationResult;
import org.weft.osd.store.Receipt;
import org.weft.osd.store.mutation.BlockRelease;
import org.weft.osd.store.mutation.Mutation;
import org.weft.osd.store.mutation.ObjectTruncation;
import org.weft.osd.store.value.Authority;
import org.weft.protocol.error.ErrorCode;
import org.weft.protocol.error.WeftException;
import org.weft.protocol.id.ObjectName;
import org.weft.protocol.rpc.Opcode;

/** A truncation of many parts, whenever the store answers each of them. */
class ReleaseRunTest {
  /** Far more than the frames of parts under each other that any stack holds. */
  private static final long PARTS = 200_000;

  private static final ObjectTruncation FIRST =
      new ObjectTruncation(ObjectName.of(7, 1), Authority.ofClient(5, 0), 0, 0, 1, 2, 1, 0, false);

  private final List<Long> begun = new ArrayList<>();
  private long parts = PARTS;

  private Receipt receipt() {
    long next = begun.size() == parts ? 0 : begun.size() * 65_536L;
    return new Receipt(begun.size(), 0, new MutationResult.Released(next));
  }

  private CompletionStage<Receipt> atOnce(Mutation mutation) {
    begun.add(((BlockRelease) mutation).resumeBlock());
    return CompletableFuture.completedStage(receipt());
  }

  private static CompletableFuture<CommandReply> truncate(StubStore store) throws WeftException {
    FakeInbound request = new FakeInbound(Opcode.TRUNCATE.number(), new byte[0], new byte[0], true);
    return new ReleaseHandler(store, command -> FIRST)
        .handle(new FrameCommand(Opcode.TRUNCATE, request))
        .toCompletableFuture();
  }

  private void assertEachPartWasBegunOnce() {
    assertEquals(parts, begun.size());
    for (int i = 0; i < begun.size(); i++) {
      assertEquals(i * 65_536L, begun.get(i));
    }
  }

  @Test
  void noObjectIsTooLongForTheStackOfAStoreThatCommitsAtOnce() throws WeftException {
    CompletableFuture<CommandReply> answer = truncate(StubStore.answering(this::atOnce));
    assertTrue(answer.isDone());
    answer.join();
    assertEachPartWasBegunOnce();
  }

  @Test
  void noObjectIsTooLongForTheStackOfTheThreadThatCommitsItsParts() throws WeftException {
    CompletableFuture<Receipt> first = new CompletableFuture<>();
    CompletableFuture<CommandReply> answer =
        truncate(
            StubStore.answering(
                mutation -> {
                  if (!begun.isEmpty()) {
                    return atOnce(mutation);
                  }
                  begun.add(0L);
                  return first;
                }));
    assertFalse(answer.isDone());
    first.complete(receipt());
    answer.join();
    assertEachPartWasBegunOnce();
  }

  @Test
  void partsThatAreAllAnsweredLaterFollowOneAnother() throws WeftException {
    parts = 5;
    List<CompletableFuture<Receipt>> open = new ArrayList<>();
    CompletableFuture<CommandReply> answer =
        truncate(
            StubStore.answering(
                mutation -> {
                  begun.add(((BlockRelease) mutation).resumeBlock());
                  CompletableFuture<Receipt> later = new CompletableFuture<>();
                  open.add(later);
                  return later;
                }));
    for (int part = 0; part < parts; part++) {
      assertFalse(answer.isDone());
      assertEquals(part + 1, open.size());
      open.get(part).complete(receipt());
    }
    answer.join();
    assertEachPartWasBegunOnce();
  }

  @Test
  void aPartThatIsRefusedOrThrowsEndsIt() throws WeftException {
    WeftException refused = new WeftException(ErrorCode.FENCED, "a newer grant");
    for (Throwable failure : List.of(refused, new IllegalStateException("a bug"))) {
      begun.clear();
      CompletableFuture<Receipt> first = new CompletableFuture<>();
      CompletableFuture<CommandReply> answer =
          truncate(
              StubStore.answering(
                  mutation -> {
                    begun.add(((BlockRelease) mutation).resumeBlock());
                    if (begun.size() == 1) {
                      return first;
                    }
                    if (failure instanceof IllegalStateException bug) {
                      throw bug;
                    }
                    return CompletableFuture.failedStage(failure);
                  }));
      first.complete(receipt());
      CompletionException thrown = assertThrows(CompletionException.class, answer::join);
      assertSame(failure, thrown.getCause());
      assertEquals(2, begun.size());
    }
  }
}
