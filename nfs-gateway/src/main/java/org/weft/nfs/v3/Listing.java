package org.weft.nfs.v3;

import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletionStage;
import java.util.function.BiConsumer;
import org.weft.client.ids.Answers;
import org.weft.client.ids.NodeId;
import org.weft.nfs.exports.Gatekeeper;
import org.weft.nfs.files.FileError;
import org.weft.nfs.files.FileException;
import org.weft.nfs.files.Touched;
import org.weft.nfs.oncrpc.OncReply;
import org.weft.nfs.oncrpc.XdrWriter;

/** What READDIR and READDIRPLUS have in common: "." and "..", then as many entries as fit. */
abstract class Listing<A> extends Procedure<A> {
  /** Attributes of the directory, verifier, "no entry follows", and whether it is the end. */
  static final int FIXED_BYTES = PostOp.MAX_BYTES + 8 + 4 + 4;

  private static final int MAX_ENTRIES = 1_024;

  /** Entries that fit. */
  record Page(List<DirEntry> entries, boolean atEnd, PostOp directory) {}

  Listing(Nfs3Services nfs) {
    super(nfs);
  }

  /** Bytes that the reply may have. */
  final int room(int wantedBytes) {
    long wanted = Integer.toUnsignedLong(wantedBytes);
    return (int) Math.min(wanted, nfs.files().limits().mostListBytes());
  }

  /**
   * Entries behind a cookie.
   *
   * @param roomBytes of the whole reply
   * @param plusRoom of names and numbers, if attributes and handles come with them
   */
  final CompletionStage<Page> page(
      Gatekeeper.Entry directory, long cookie, int roomBytes, Optional<Integer> plusRoom) {
    int least = plusRoom.isPresent() ? DirEntry.MIN_BYTES + 8 : DirEntry.MIN_BYTES;
    int most = Math.max(1, Math.min(MAX_ENTRIES, (roomBytes - FIXED_BYTES) / least));
    return nfs.files()
        .list(
            directory.by(), directory.file(), Cookies.ofService(cookie), most, plusRoom.isPresent())
        .thenApply(
            listing ->
                fitting(
                    all(directory, cookie, listing, plusRoom.isPresent()),
                    listing,
                    roomBytes,
                    plusRoom));
  }

  private List<DirEntry> all(
      Gatekeeper.Entry directory, long cookie, Answers.Page listing, boolean plus) {
    List<DirEntry> entries = new ArrayList<>();
    if (cookie == Cookies.START) {
      NodeId self = directory.file();
      entries.add(
          new DirEntry(
              self.object().value(),
              ascii("."),
              Cookies.DOT,
              plus ? postOp(listing.directory()) : PostOp.NONE,
              handle(directory, self, plus)));
    }
    if (Long.compareUnsigned(cookie, Cookies.DOT_DOT) < 0) {
      // The attributes of the one above are not asked for: clients know them, or look it up.
      NodeId above = directory.isRoot() ? directory.file() : listing.parent();
      entries.add(
          new DirEntry(
              above.object().value(), ascii(".."), Cookies.DOT_DOT, PostOp.NONE, Optional.empty()));
    }
    for (Answers.Entry entry : listing.entries()) {
      entries.add(
          new DirEntry(
              entry.id().object().value(),
              entry.name().getBytes(StandardCharsets.UTF_8),
              Cookies.ofEntry(entry.cookie()),
              new PostOp(entry.attributes().map(this::fattr)),
              // A manager withholds attributes where the caller may not search. A handle would let
              // it in, so a client looks such a name up.
              handle(directory, entry.id(), plus && entry.attributes().isPresent())));
    }
    return entries;
  }

  private Optional<byte[]> handle(Gatekeeper.Entry directory, NodeId file, boolean plus) {
    return plus ? Optional.of(nfs.gate().handle(directory.export(), file)) : Optional.empty();
  }

  private Page fitting(
      List<DirEntry> all, Answers.Page listing, int roomBytes, Optional<Integer> plusRoom) {
    int left = roomBytes - FIXED_BYTES;
    int namesLeft = plusRoom.orElse(Integer.MAX_VALUE);
    int count = 0;
    for (DirEntry entry : all) {
      left -= plusRoom.isPresent() ? entry.plusBytes() : entry.bytes();
      namesLeft -= entry.bytes();
      // The client's bound on names is a hint; one entry always goes with it.
      if (left < 0 || (namesLeft < 0 && count > 0)) {
        break;
      }
      count++;
    }
    if (count == 0 && !all.isEmpty()) {
      throw new java.util.concurrent.CompletionException(
          new FileException(
              FileError.TOO_SMALL,
              roomBytes + " bytes have no room for an entry",
              Touched.directory(listing.directory())));
    }
    return new Page(
        all.subList(0, count), listing.atEnd() && count == all.size(), postOp(listing.directory()));
  }

  /** READDIR3resok or READDIRPLUS3resok. */
  final Nfs3Result result(Page page, BiConsumer<DirEntry, XdrWriter> writer) {
    return Nfs3Result.ok(
        page.directory(),
        out -> {
          out.int64(Cookies.VERIFIER);
          page.entries().forEach(entry -> writer.accept(entry, out));
          out.bool(false).bool(page.atEnd());
        });
  }

  private static byte[] ascii(String text) {
    return text.getBytes(StandardCharsets.US_ASCII);
  }

  @Override
  final OncReply failed(Nfs3Status status, Touched touched) {
    return Nfs3Result.of(status, postOp(touched.directory()));
  }
}
