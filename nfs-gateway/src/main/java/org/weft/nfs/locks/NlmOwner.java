package org.weft.nfs.locks;

import com.google.protobuf.ByteString;
import java.net.InetAddress;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.Base64;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.weft.nfs.monitor.MonitoredClient;
import org.weft.nfs.nlm.NetObject;
import org.weft.protocol.capability.Hmac;
import org.weft.protocol.layout.LockSpace;

/**
 * The owner of a lock. A client numbers its owners separately for each address that it mounts from.
 * So both addresses belong to the name; a gateway that takes over the address of another one meets
 * the same owners.
 *
 * @param server the gateway's address that the client calls
 * @param process the client's number for it
 * @param open it speaks from ports that any user of the client can have. Then it is another owner
 *     than a kernel's with the same name, for managers as well. So it never takes over or unlocks
 *     what a kernel has
 * @param space of the locks: bytes of files, or ways to open them (share reservations)
 */
public record NlmOwner(
    InetAddress client,
    InetAddress server,
    String name,
    int process,
    NetObject owner,
    boolean open,
    LockSpace space) {
  private static final byte[] LABEL = "weft-nfs-lock-owner".getBytes(StandardCharsets.US_ASCII);
  private static final byte[] OPEN_LABEL =
      "weft-nfs-lock-owner-open".getBytes(StandardCharsets.US_ASCII);
  private static final int DIGEST_BYTES = 18;
  private static final int MAX_NAME_CHARS = 20;
  private static final Pattern FORM = Pattern.compile("nfs:[^:]*:(\\d+):[-_A-Za-z0-9]{24}");

  /** One that locks bytes. */
  public NlmOwner(
      InetAddress client,
      InetAddress server,
      String name,
      int process,
      NetObject owner,
      boolean open) {
    this(client, server, name, process, owner, open, LockSpace.BYTES);
  }

  /** The same as one that reserves ways to open files. */
  public NlmOwner ofOpenings() {
    return new NlmOwner(client, server, name, process, owner, open, LockSpace.OPENINGS);
  }

  /** Up to 61 characters: the name and the number for people, and a digest of everything. */
  public ByteString key() {
    byte[] nameBytes = name.getBytes(StandardCharsets.UTF_8);
    byte[] digest =
        Hmac.sha256(
            open ? OPEN_LABEL : LABEL,
            sized(client.getAddress()),
            sized(server.getAddress()),
            sized(nameBytes),
            ByteBuffer.allocate(Integer.BYTES).putInt(process).array(),
            owner.bytes());
    String shown = name.replaceAll("[^-_.A-Za-z0-9]", "_");
    return ByteString.copyFromUtf8(
        "nfs:"
            + shown.substring(0, Math.min(shown.length(), MAX_NAME_CHARS))
            + ":"
            + Integer.toUnsignedString(process)
            + ":"
            + Base64.getUrlEncoder()
                .withoutPadding()
                .encodeToString(Arrays.copyOf(digest, DIGEST_BYTES)));
  }

  /** The same from ports of the client's superuser. */
  public NlmOwner reserved() {
    return new NlmOwner(client, server, name, process, owner, false, space);
  }

  /** Its host's lock manager. */
  LockPeer peer() {
    return new LockPeer(server, client);
  }

  /** The host that gets a notice when a gateway starts. */
  MonitoredClient monitored() {
    return new MonitoredClient(server, client, name);
  }

  private static byte[] sized(byte[] bytes) {
    return ByteBuffer.allocate(Integer.BYTES + bytes.length)
        .putInt(bytes.length)
        .put(bytes)
        .array();
  }

  /** The process of a key that was made here; 0 for any other owner. */
  public static int processOf(ByteString key) {
    Matcher matcher = FORM.matcher(new String(key.toByteArray(), StandardCharsets.ISO_8859_1));
    return matcher.matches() ? Integer.parseUnsignedInt(matcher.group(1)) : 0;
  }
}
