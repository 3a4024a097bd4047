package org.weft.nfs.exports;

import java.net.InetSocketAddress;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.function.Predicate;
import java.util.function.Supplier;
import org.weft.client.ids.NodeId;
import org.weft.client.ids.OnBehalfOf;
import org.weft.nfs.files.FileError;
import org.weft.nfs.files.FileException;
import org.weft.nfs.files.Request;
import org.weft.nfs.files.RequestMark;
import org.weft.nfs.oncrpc.CallMark;
import org.weft.nfs.oncrpc.RpcCall;
import org.weft.nfs.oncrpc.RpcCredential;

/**
 * Every request passes here: is the handle genuine, is its export there, may this client use it,
 * and as which user does the caller act. Thread-safe.
 */
public final class Gatekeeper {
  private static final int ROOT = 0;
  private static final CompletableFuture<Void> KNOWN = CompletableFuture.completedFuture(null);

  /** Its members are superusers. */
  private static final String SUPERGROUP = "supergroup";

  /** A request that was let in. */
  public record Entry(Export export, NodeId file, Request by) {
    /** The directory above the export's own is itself. */
    public boolean isRoot() {
      return export.root().filter(file::equals).isPresent();
    }

    /**
     * @throws FileException READ_ONLY if nothing may be changed here
     */
    public Entry forChange() throws FileException {
      if (export.readOnly()) {
        throw new FileException(FileError.READ_ONLY, export.path() + " is exported read-only");
      }
      return this;
    }
  }

  /** A file that a caller gives up something of. */
  public record Released(NodeId file, OnBehalfOf by) {}

  private final Supplier<Policy> policy;
  private final WaitingCalls waits;

  /**
   * @param policy as it is now; asked for each request
   * @param waits calls of which the caller is looked up
   */
  public Gatekeeper(Supplier<Policy> policy, WaitingCalls waits) {
    this.policy = policy;
    this.waits = waits;
  }

  /** Where no call waits for the host. */
  public Gatekeeper(Supplier<Policy> policy) {
    this(policy, WaitingCalls.NONE);
  }

  public ExportTable exports() {
    return policy.get().exports();
  }

  /** Something is exported to that address and kind of port. */
  public boolean admits(InetSocketAddress client) {
    return exports().admits(client, export -> true);
  }

  public Identities identities() {
    return policy.get().identities();
  }

  /**
   * The handle of another file in the export of a request.
   *
   * @throws IllegalStateException if nothing was ever exported: there is no such request then
   */
  public byte[] handle(Export export, NodeId file) {
    return policy
        .get()
        .handles()
        .orElseThrow(() -> new IllegalStateException("there is no key for handles"))
        .encode(export.id(), file);
  }

  /**
   * Lets a request in.
   *
   * @throws FileException BAD_HANDLE, STALE if the export is gone, ACCESS_DENIED if it is not for
   *     this client, TRY_LATER if it is not known yet where it leads
   */
  public Entry enter(byte[] handle, RpcCall call) throws FileException {
    Entry entry = named(handle, call);
    // Else the end of "above" would be unknown.
    requireRoot(entry.export());
    return entry;
  }

  /**
   * Lets a request in that changes something, wherever the export leads: a change does not look
   * above. Such a request must not be told to come later, since the client would ask again under
   * another number. The request may be the repeat of one that a dead gateway has carried out. WRITE
   * and COMMIT may be done twice: {@link #enter} and {@link Entry#forChange} are theirs, so that no
   * bytes are held for a volume that is not reached.
   *
   * @throws FileException BAD_HANDLE, STALE if the export is gone, ACCESS_DENIED if it is not for
   *     this client, READ_ONLY
   */
  public Entry enterToChange(byte[] handle, RpcCall call) throws FileException {
    return named(handle, call).forChange();
  }

  /**
   * Lets a request in that gives up what its caller has of a file. That must go on where the export
   * was removed or is not for this client any more: else nothing ends what it has.
   *
   * @throws FileException BAD_HANDLE, or TRY_LATER if the caller cannot be looked up now
   */
  public Released enterToGiveUp(byte[] handle, RpcCall call) throws FileException {
    Policy now = policy.get();
    HandleCodec.Named named = genuine(now, handle);
    Optional<Export> export = now.exports().byId(named.export());
    OnBehalfOf by =
        export.isPresent() ? caller(call.credential(), export.get()) : nobody(now.identities());
    return new Released(named.file(), by);
  }

  private Entry named(byte[] handle, RpcCall call) throws FileException {
    Policy now = policy.get();
    HandleCodec.Named named = genuine(now, handle);
    Export export =
        now.exports()
            .byId(named.export())
            .orElseThrow(
                () ->
                    new FileException(
                        FileError.STALE, "export " + named.export() + " is there no more"));
    return enter(export, named.file(), call);
  }

  private static HandleCodec.Named genuine(Policy now, byte[] handle) throws FileException {
    return now.handles()
        .orElseThrow(() -> new FileException(FileError.BAD_HANDLE, "nothing was ever exported"))
        .decode(handle);
  }

  /**
   * The directory of an export.
   *
   * @throws FileException TRY_LATER if it is not known yet
   */
  public static NodeId requireRoot(Export export) throws FileException {
    return export
        .root()
        .orElseThrow(
            () ->
                new FileException(
                    FileError.TRY_LATER,
                    export.path() + " is exported, and not found yet: managers may be away"));
  }

  /**
   * The same for a file that the gateway found itself.
   *
   * @throws FileException ACCESS_DENIED if the export is not for this client, TRY_LATER if the
   *     caller's user or groups cannot be looked up now
   */
  public Entry enter(Export export, NodeId file, RpcCall call) throws FileException {
    InetSocketAddress client = call.client();
    if (!export.admits(client)) {
      throw new FileException(
          FileError.ACCESS_DENIED, export.path() + " is not exported to " + client);
    }
    return new Entry(
        export,
        file,
        new Request(
            caller(call.credential(), export),
            new Request.Origin(client.getAddress(), call.xid(), mark(call))));
  }

  private static RequestMark mark(RpcCall call) {
    CallMark mark = call.mark();
    return new RequestMark(mark.checksum(), mark.high(), mark.low());
  }

  /**
   * Looks up what {@link #enter} needs of the caller: completes when that is known, or cannot be
   * known in time. Mostly at once, and never fails; calls of one caller go on in their order.
   * Nothing is asked for a client that no export admits, and no groups for one that none of its
   * exports looks them up for.
   */
  public CompletableFuture<Void> prepare(RpcCall call) {
    Policy now = policy.get();
    Identities identities = now.identities();
    ExportTable exports = now.exports();
    if (!(identities.mayAsk() || exports.managesGids())
        || !(call.credential() instanceof RpcCredential.Sys sys)) {
      return KNOWN;
    }
    Predicate<Export> asAnyone = export -> export.squash() != Squash.ALL;
    if (!exports.admits(call.client(), asAnyone)) {
      return KNOWN;
    }
    boolean lookedUp =
        sys.uid() != ROOT && exports.admits(call.client(), asAnyone.and(Export::manageGids));
    Set<Integer> gids = new HashSet<>(sys.gids());
    gids.add(sys.gid());
    CompletableFuture<Void> stated =
        identities.learn(Identities.Wanted.numbers(Set.of(sys.uid()), gids));
    CompletableFuture<Void> learning =
        lookedUp
            ? stated.thenCompose(
                done -> now.memberships().learn(identities.user(sys.uid()), identities))
            : stated;
    return waits.inOrder(new WaitingCalls.Caller(call.client().getAddress(), sys.uid()), learning);
  }

  /** The same for numbers that a call gives to a file. */
  public CompletableFuture<Void> learn(RpcCall call, Identities.Wanted wanted) {
    Policy now = policy.get();
    return now.identities().mayAsk() && now.exports().admits(call.client(), export -> true)
        ? waits.briefly(now.identities().learn(wanted))
        : KNOWN;
  }

  /** The superuser is squashed by number and by name: it owns the root under that. */
  private OnBehalfOf caller(RpcCredential credential, Export export) throws FileException {
    Squash squash = export.squash();
    Policy now = policy.get();
    Identities identities = now.identities();
    String nogroup = identities.group(Identities.NOBODY);
    OnBehalfOf nobody = nobody(identities);
    if (!(credential instanceof RpcCredential.Sys sys) || squash == Squash.ALL) {
      return nobody;
    }
    boolean squashed = squash == Squash.ROOT;
    String user = identities.requireUser(sys.uid());
    if (squashed && (sys.uid() == ROOT || user.equals(now.superuser()))) {
      return nobody;
    }
    boolean lookedUp = export.manageGids() && sys.uid() != ROOT;
    List<String> names = new ArrayList<>();
    names.add(identities.requireGroup(sys.gid()));
    if (lookedUp) {
      names.addAll(groups(now, user));
    } else {
      for (int gid : sys.gids()) {
        names.add(identities.requireGroup(gid));
      }
    }
    String ofRoot = identities.group(ROOT);
    Set<String> groups = new LinkedHashSet<>();
    for (String name : names) {
      groups.add(squashed && (name.equals(ofRoot) || name.equals(SUPERGROUP)) ? nogroup : name);
    }
    return new OnBehalfOf(
        user, groups.stream().limit(OnBehalfOf.MAX_GROUPS).toList(), sys.uid() == ROOT);
  }

  private static OnBehalfOf nobody(Identities identities) {
    return new OnBehalfOf(
        identities.user(Identities.NOBODY), List.of(identities.group(Identities.NOBODY)), false);
  }

  private static List<String> groups(Policy now, String user) throws FileException {
    return now.memberships()
        .of(user, now.identities())
        .orElseThrow(
            () ->
                new FileException(
                    FileError.TRY_LATER, "the groups of " + user + " cannot be looked up now"));
  }
}
