package org.weft.nfs.exports;

import java.util.HashSet;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.Function;
import java.util.function.Supplier;
import java.util.stream.Stream;
import org.weft.client.ids.Answers;
import org.weft.client.ids.AttributesWish;
import org.weft.client.ids.CreateWish;
import org.weft.client.ids.NewNode;
import org.weft.client.ids.NodeAttributes;
import org.weft.client.ids.NodeChange;
import org.weft.client.ids.NodeId;
import org.weft.nfs.files.AccessRight;
import org.weft.nfs.files.FileException;
import org.weft.nfs.files.FileName;
import org.weft.nfs.files.FileReply;
import org.weft.nfs.files.FileService;
import org.weft.nfs.files.Request;
import org.weft.nfs.files.ServiceLimits;
import org.weft.nfs.files.Stability;
import org.weft.nfs.files.Touched;
import org.weft.protocol.rpc.Payload;

/**
 * A file service that answers once the numbers of the owners and groups in the answer are known.
 * Numbers that cannot be known now show as {@link Identities#NOBODY}. Where the cluster's table
 * alone counts it never waits. Thread-safe.
 */
public final class NamedFiles implements FileService {
  private final FileService files;
  private final Supplier<Identities> identities;
  private final WaitingCalls waits;

  /**
   * @param identities as they are now
   * @param waits bounds for how long an answer waits
   */
  public NamedFiles(FileService files, Supplier<Identities> identities, WaitingCalls waits) {
    this.files = files;
    this.identities = identities;
    this.waits = waits;
  }

  private <T> CompletionStage<T> named(
      CompletionStage<T> answering, Function<T, Stream<NodeAttributes>> nodes) {
    return answering
        .handle(
            (answer, failure) -> {
              Stream<NodeAttributes> shown =
                  failure == null ? nodes.apply(answer) : touched(FileException.of(failure));
              CompletableFuture<Void> learning = learn(shown);
              return learning.isDone() ? answering : learning.thenCompose(done -> answering);
            })
        .thenCompose(Function.identity());
  }

  private CompletableFuture<Void> learn(Stream<NodeAttributes> shown) {
    Set<String> users = new HashSet<>();
    Set<String> groups = new HashSet<>();
    shown.forEach(
        node -> {
          users.add(node.owner());
          groups.add(node.group());
        });
    return waits.briefly(
        identities.get().learn(new Identities.Wanted(Set.of(), Set.of(), users, groups)));
  }

  private static Stream<NodeAttributes> touched(FileException failure) {
    Touched touched = failure.touched();
    return of(touched.node(), touched.directory(), touched.target());
  }

  private static Stream<NodeAttributes> of(NodeChange... changes) {
    return Stream.of(changes).flatMap(change -> change.after().stream());
  }

  @Override
  public ServiceLimits limits() {
    return files.limits();
  }

  @Override
  public CompletionStage<NodeAttributes> attributes(Request by, NodeId file) {
    return named(files.attributes(by, file), Stream::of);
  }

  @Override
  public CompletionStage<NodeChange> setAttributes(
      Request by, NodeId file, AttributesWish change, OptionalLong guardNanos) {
    return named(files.setAttributes(by, file, change, guardNanos), NamedFiles::of);
  }

  @Override
  public CompletionStage<Answers.Found> lookUp(Request by, NodeId directory, FileName name) {
    return named(
        files.lookUp(by, directory, name), found -> Stream.of(found.node(), found.directory()));
  }

  @Override
  public CompletionStage<Answers.Found> parent(Request by, NodeId directory) {
    return named(files.parent(by, directory), found -> Stream.of(found.node(), found.directory()));
  }

  @Override
  public CompletionStage<FileReply.Granted> access(
      Request by, NodeId file, Set<AccessRight> wanted) {
    return named(files.access(by, file, wanted), granted -> Stream.of(granted.node()));
  }

  @Override
  public CompletionStage<NodeAttributes> readLink(Request by, NodeId link) {
    return named(files.readLink(by, link), Stream::of);
  }

  @Override
  public CompletionStage<Answers.BytesRead> read(
      Request by, NodeId file, long offsetBytes, int countBytes) {
    return named(files.read(by, file, offsetBytes, countBytes), bytes -> Stream.of(bytes.node()));
  }

  @Override
  public CompletionStage<FileReply.Written> write(
      Request by, NodeId file, long offsetBytes, Payload bytes, Stability stability) {
    return named(
        files.write(by, file, offsetBytes, bytes, stability), written -> of(written.node()));
  }

  @Override
  public CompletionStage<FileReply.Committed> commit(
      Request by, NodeId file, long offsetBytes, long countBytes) {
    return named(
        files.commit(by, file, offsetBytes, countBytes), committed -> of(committed.node()));
  }

  private CompletionStage<Answers.Made> made(CompletionStage<Answers.Made> making) {
    return named(making, made -> Stream.concat(Stream.of(made.node()), of(made.directory())));
  }

  @Override
  public CompletionStage<Answers.Made> create(
      Request by, NodeId directory, FileName name, CreateWish mode) {
    return made(files.create(by, directory, name, mode));
  }

  @Override
  public CompletionStage<Answers.Made> make(
      Request by, NodeId directory, FileName name, NewNode node) {
    return made(files.make(by, directory, name, node));
  }

  @Override
  public CompletionStage<Answers.Removed> remove(Request by, NodeId directory, FileName name) {
    return named(files.remove(by, directory, name), removed -> of(removed.directory()));
  }

  @Override
  public CompletionStage<Answers.Removed> removeDirectory(
      Request by, NodeId directory, FileName name) {
    return named(files.removeDirectory(by, directory, name), removed -> of(removed.directory()));
  }

  @Override
  public CompletionStage<Answers.Renamed> rename(
      Request by, NodeId from, FileName oldName, NodeId to, FileName newName) {
    return named(
        files.rename(by, from, oldName, to, newName), renamed -> of(renamed.from(), renamed.to()));
  }

  @Override
  public CompletionStage<Answers.Linked> link(
      Request by, NodeId file, NodeId directory, FileName name) {
    return named(
        files.link(by, file, directory, name), linked -> of(linked.node(), linked.directory()));
  }

  @Override
  public CompletionStage<Answers.Page> list(
      Request by, NodeId directory, long behindCookie, int mostEntries, boolean withAttributes) {
    return named(
        files.list(by, directory, behindCookie, mostEntries, withAttributes),
        listing ->
            Stream.concat(
                Stream.of(listing.directory()),
                listing.entries().stream()
                    .map(Answers.Entry::attributes)
                    .flatMap(Optional::stream)));
  }

  @Override
  public CompletionStage<FileReply.Space> space(Request by, NodeId file) {
    return named(files.space(by, file), space -> Stream.of(space.node()));
  }
}
