package org.weft.client;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.ArrayDeque;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import org.junit.jupiter.api.Test;
import org.weft.client.callback.Callbacks;
import org.weft.protocol.error.ErrorCode;
import org.weft.protocol.error.WeftException;
import org.weft.protocol.wire.DirectoryEntry;
import org.weft.protocol.wire.FileAttributes;
import org.weft.protocol.wire.FileKind;
import org.weft.protocol.wire.ReaddirReply;

class DirectoryListingTest {
  private final ArrayDeque<ReaddirReply> replies = new ArrayDeque<>();
  private final DirectoryListing listing = listing(true);

  private DirectoryListing listing(boolean withAttributes) {
    return new DirectoryListing(
        WeftPath.of("/d"),
        withAttributes,
        (path, cookie) -> CompletableFuture.completedFuture(replies.remove()),
        new Callbacks(Runnable::run));
  }

  private static DirectoryEntry.Builder entry(String name) {
    return DirectoryEntry.newBuilder().setName(name).setKind(FileKind.FILE).setObjectId(70_000);
  }

  private static ReaddirReply reply(DirectoryEntry.Builder... entries) {
    ReaddirReply.Builder reply = ReaddirReply.newBuilder().setEnd(true);
    List.of(entries).forEach(reply::addEntries);
    return reply.build();
  }

  private static DirectoryEntry.Builder sized(String name, long bytes) {
    return entry(name)
        .setAttributes(FileAttributes.newBuilder().setKind(FileKind.FILE).setSize(bytes));
  }

  @Test
  void namesAloneAreListedWithoutAttributes() {
    replies.add(reply(entry("a")));
    assertEquals("a", listing(false).nextPage().join().orElseThrow().get(0).path().name());
  }

  @Test
  void anotherVolumeIsListedWithoutWhatItsOwnManagerKnows() {
    replies.add(reply(entry("v").setKind(FileKind.VOLUME)));
    assertEquals(FileType.DIRECTORY, listing.nextPage().join().orElseThrow().get(0).type());
  }

  @Test
  void aFileWithAnUnknownLengthIsNotListedAsEmpty() {
    replies.add(reply(sized("a", 5), entry("b")));
    replies.add(reply(sized("a", 5), sized("b", 7)));
    CompletionException thrown =
        assertThrows(CompletionException.class, () -> listing.nextPage().join());
    WeftException why = WeftException.of(thrown);
    assertEquals(ErrorCode.TOO_MANY_LOST, why.code());
    assertTrue(why.getMessage().contains("[b]"), why.getMessage());
    List<FileStatus> again = listing.nextPage().join().orElseThrow();
    assertEquals(7, again.get(1).sizeBytes(), "asked again, it goes on where it was");
    assertTrue(listing.nextPage().join().isEmpty());
  }
}
