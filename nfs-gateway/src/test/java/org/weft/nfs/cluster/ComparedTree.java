package org.weft.nfs.cluster;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.net.InetAddress;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.OptionalLong;
import java.util.Random;
import java.util.TreeMap;
import org.weft.client.ids.AttributesWish;
import org.weft.client.ids.NewNode;
import org.weft.client.ids.NodeAttributes;
import org.weft.client.ids.NodeId;
import org.weft.client.ids.NodeType;
import org.weft.client.ids.OnBehalfOf;
import org.weft.client.ids.TimeWish;
import org.weft.nfs.daemon.NfsDaemon;
import org.weft.nfs.files.FileName;
import org.weft.nfs.files.Request;
import org.weft.nfs.files.RequestMark;
import org.weft.nfs.model.Fattr;
import org.weft.nfs.model.ModelAnswer;
import org.weft.nfs.model.ModelFileService;
import org.weft.nfs.model.ModelPaths;
import org.weft.nfs.model.Nfs3Client;
import org.weft.nfs.model.Nfs3Client.Result;
import org.weft.nfs.model.WccData;

/**
 * A directory of a real cluster and a model beside it: the nodes that both have, the users, and how
 * what gateways tell is compared with the model. For one thread.
 */
public final class ComparedTree {
  private static final String[] NAMES = {"a", "b", "c", "d", "e", "f"};
  private static final String INSIDE = "in";

  /** What group 0 is called. */
  private static final String SUPERGROUP = "supergroup";

  private static final Map<NodeType, Integer> TYPES =
      Map.of(
          NodeType.FILE, 1,
          NodeType.DIRECTORY, 2,
          NodeType.BLOCK_DEVICE, 3,
          NodeType.CHARACTER_DEVICE, 4,
          NodeType.SYMLINK, 5,
          NodeType.SOCKET, 6,
          NodeType.FIFO, 7);

  /** A user in both worlds, with a connection to each gateway. */
  public record Person(List<Nfs3Client> clients, Request by) {
    public String user() {
      return by.caller().user();
    }
  }

  /** Makes the bytes of a file known to all before another client looks at it. */
  @FunctionalInterface
  public interface Settling {
    void settle();
  }

  private final Random random;
  private final ModelFileService model = new ModelFileService();
  private final ModelPaths paths = new ModelPaths(model);
  private final StateRecord states = new StateRecord();
  private final String path;
  private final List<Person> people;
  private final Map<NodeId, byte[]> handles = new HashMap<>();
  private final List<NodeId> nodes = new ArrayList<>();
  private final Map<String, int[]> done = new TreeMap<>();

  /** How many files lost their last name while bytes of them were not settled. */
  private int lost;

  /** Files with bytes that one client alone knows as yet. */
  private final Map<NodeId, Settling> unsettled = new LinkedHashMap<>();

  /**
   * Makes the directory, which must not be there.
   *
   * @param path in the root directory, which is exported
   */
  public ComparedTree(TestCluster cluster, List<NfsDaemon> gateways, String path, long seed) {
    this.path = path;
    random = new Random(seed);
    people =
        List.of(
            person(cluster, gateways, "root", SUPERGROUP, 0, 0),
            person(cluster, gateways, "1000", "100", 1000, 100),
            person(cluster, gateways, "1001", "101", 1001, 101));
    Nfs3Client first = root().clients().get(0);
    Result top = first.mkDir(first.mount("/").handle, path.substring(1), Nfs3Client.Set.mode(0777));
    assertEquals(0, top.status);
    handles.put(model.root(), top.handle);
    // Through a link a client of Hadoop may make files there: they have its group.
    AttributesWish group =
        new AttributesWish(
            OptionalInt.empty(),
            Optional.empty(),
            Optional.of(SUPERGROUP),
            OptionalLong.empty(),
            TimeWish.KEEP,
            TimeWish.KEEP);
    ModelAnswer.of(model.setAttributes(root().by(), model.root(), group, OptionalLong.empty()))
        .answer();
    // The one that is worked in has a directory above it, so that links may lead there.
    Result in = first.mkDir(top.handle, INSIDE, Nfs3Client.Set.mode(0777));
    NodeId inside =
        ModelAnswer.of(
                model.make(
                    root().by(),
                    model.root(),
                    new FileName(INSIDE),
                    new NewNode.Directory(ModelPaths.mode(0777))))
            .answer()
            .node()
            .id();
    handles.put(inside, in.handle);
    nodes.add(inside);
  }

  private static Person person(
      TestCluster cluster, List<NfsDaemon> gateways, String user, String group, int uid, int gid) {
    return new Person(
        gateways.stream().map(gateway -> cluster.connect(gateway.address(), uid, gid)).toList(),
        new Request(
            new OnBehalfOf(user, List.of(group), uid == 0),
            new Request.Origin(InetAddress.getLoopbackAddress(), 1, RequestMark.NONE)));
  }

  public Random random() {
    return random;
  }

  public ModelFileService model() {
    return model;
  }

  public ModelPaths paths() {
    return paths;
  }

  /** The path of the model's root in the cluster. */
  public String path() {
    return path;
  }

  public List<Person> people() {
    return people;
  }

  public Person root() {
    return people.get(0);
  }

  /** How often each procedure was done and refused. */
  public Map<String, int[]> done() {
    return done;
  }

  /** How often a gateway told a state that had been told before. */
  public long compared() {
    return states.compared();
  }

  // What is chosen.

  public Person anyPerson() {
    return people.get(random.nextInt(people.size()));
  }

  Nfs3Client any(Person by) {
    return by.clients().get(random.nextInt(by.clients().size()));
  }

  NodeId anyNode() {
    NodeId node = nodes.get(random.nextInt(nodes.size()));
    settle(node);
    return node;
  }

  /** A directory more often than anything else. */
  public NodeId anyDirectory() {
    NodeId node =
        random.nextInt(3) == 0
            ? nodes.get(random.nextInt(nodes.size()))
            : nodes.get(random.nextInt(Math.min(4, nodes.size())));
    settle(node);
    return node;
  }

  public String anyName() {
    return NAMES[random.nextInt(NAMES.length)];
  }

  /** The path of a directory in which nothing is; empty if each has something in it. */
  public Optional<String> anyEmptyDirectory() {
    List<NodeId> empty =
        nodes.subList(1, nodes.size()).stream().filter(paths::isEmptyDirectory).toList();
    return empty.isEmpty()
        ? Optional.empty()
        : Optional.of(paths.of(empty.get(random.nextInt(empty.size()))));
  }

  byte[] handle(NodeId node) {
    return handles.get(node);
  }

  // Files that are being written.

  /** Bytes of the file are not known to all until it is settled. */
  public void unsettled(NodeId file, Settling how) {
    assertTrue(unsettled.put(file, how) == null, "it is settled first");
  }

  public boolean isUnsettled(NodeId file) {
    return unsettled.containsKey(file);
  }

  /** Before a client looks at it or changes it. */
  public void settle(NodeId file) {
    Settling how = unsettled.remove(file);
    if (how != null) {
      lost += now(file).isEmpty() ? 1 : 0;
      how.settle();
    }
  }

  /** How many files lost their last name while bytes of them were not settled. */
  int lost() {
    return lost;
  }

  /** What has that name there. */
  public void settle(NodeId directory, String name) {
    paths.find(directory, name).ifPresent(this::settle);
  }

  /** All that is in the tree. */
  public void settleAll() {
    for (NodeId file : List.copyOf(unsettled.keySet())) {
      settle(file);
    }
  }

  // What is compared.

  /** Compares a reply's status with the model's; true if it was done. */
  boolean agree(String what, ModelAnswer<?> wanted, Result seen) {
    String procedure = what.substring(0, what.indexOf(' '));
    // Which of two reasons is told is free.
    boolean otherReason = wanted.status() != 0 && seen.status == Nfs3Client.ACCES;
    if (!otherReason) {
      assertEquals(wanted.status(), seen.status, what);
    }
    count(procedure, seen.status == 0);
    return seen.status == 0;
  }

  /** Counts an operation. */
  public void count(String what, boolean isDone) {
    done.computeIfAbsent(what, name -> new int[2])[isDone ? 0 : 1]++;
  }

  /** As it is in the model; empty if it is gone. */
  Optional<NodeAttributes> now(NodeId node) {
    return Optional.ofNullable(ModelAnswer.of(model.attributes(root().by(), node)).answer());
  }

  /** What numbers stand for: users and groups are named by them. */
  private static int number(String name) {
    return name.equals("root") || name.equals(SUPERGROUP) ? 0 : Integer.parseInt(name);
  }

  /** Type, mode, links, owner, group and size of a node, as both have them. */
  private static List<Object> shape(NodeAttributes node) {
    boolean sized = node.type() != NodeType.DIRECTORY;
    return List.of(
        TYPES.get(node.type()),
        Integer.toOctalString(node.mode()),
        node.links(),
        number(node.owner()),
        number(node.group()),
        sized ? node.sizeBytes() : -1L);
  }

  private static List<Object> shape(Fattr node) {
    return List.of(
        node.type(),
        Integer.toOctalString(node.mode()),
        node.links(),
        node.uid(),
        node.gid(),
        node.type() != 2 ? node.size() : -1L);
  }

  /** What a reply tells of a node now. It may tell nothing. */
  void same(NodeId node, Fattr seen) {
    if (seen != null && !isUnsettled(node)) {
      now(node).ifPresent(wanted -> same(wanted, seen));
    }
  }

  void same(NodeAttributes wanted, Fattr seen) {
    assertEquals(shape(wanted), shape(seen), () -> wanted.id().toString());
    states.tell(wanted, seen);
  }

  /** What a reply tells of a node before its change and behind it. */
  void same(NodeId node, Optional<NodeAttributes> before, WccData seen) {
    sameBefore(node, before, seen.before());
    same(node, seen.after());
  }

  void sameBefore(NodeId node, Optional<NodeAttributes> before, WccData.Pre seen) {
    if (seen != null && !isUnsettled(node)) {
      before.ifPresent(
          known -> {
            if (known.type() != NodeType.DIRECTORY) {
              assertEquals(known.sizeBytes(), seen.size(), "size before the change");
            }
            states.tell(known, seen);
          });
    }
  }

  /** Both gateways show the node as the model does, whatever a reply said. */
  public void sameEverywhere(NodeId node) {
    NodeAttributes wanted = now(node).orElseThrow();
    for (Nfs3Client client : root().clients()) {
      same(wanted, client.getAttr(handle(node)).node);
    }
  }

  /** Both gateways have the file's bytes as the model does. */
  public void sameBytes(NodeId file) {
    byte[] wanted = paths.bytes(file);
    for (Nfs3Client client : root().clients()) {
      Result seen = client.read(handle(file), 0, 1 << 20);
      assertEquals(0, seen.status);
      assertArrayEquals(wanted, seen.data, () -> "bytes of " + file);
      assertTrue(seen.end, "all of it was read");
    }
  }

  /** Everything at both gateways; what is being written is settled before. */
  public void sameEverywhere() {
    settleAll();
    for (NodeId node : nodes) {
      sameEverywhere(node);
      if (now(node).orElseThrow().type() == NodeType.FILE) {
        sameBytes(node);
      }
    }
  }

  /** Nanoseconds of a node's mtime as gateways told it, asked for if they did not yet. */
  public long toldMtime(NodeId node) {
    NodeAttributes wanted = now(node).orElseThrow();
    if (states.mtime(wanted) < 0) {
      same(wanted, any(root()).getAttr(handle(node)).node);
    }
    return states.mtime(wanted);
  }

  void remember(NodeId node, byte[] handle) {
    byte[] known = handles.putIfAbsent(node, handle);
    if (known == null) {
      nodes.add(node);
    } else {
      assertArrayEquals(known, handle, "one node, one handle");
    }
  }

  /** A node that was made by a path; both gateways have to find it, under one handle. */
  public void rememberMade(NodeId node) {
    String at = paths.anyOf(node);
    int slash = at.lastIndexOf('/');
    byte[] directory = handle(paths.find(at.substring(0, slash)).orElseThrow());
    for (Nfs3Client client : root().clients()) {
      Result found = client.lookup(directory, at.substring(slash + 1));
      assertEquals(0, found.status, () -> "LOOKUP of " + at);
      remember(node, found.handle);
      same(node, found.node);
    }
  }

  /** True of a node whose handle is known. */
  public boolean isKnown(NodeId node) {
    return handles.containsKey(node);
  }

  /** What has no name any more is gone; a gateway may keep an open file for a while. */
  public void forgetGone() {
    for (NodeId node : List.copyOf(nodes)) {
      if (now(node).isEmpty()) {
        nodes.remove(node);
        settle(node);
        Result left = any(root()).getAttr(handle(node));
        assertTrue(
            left.status == Nfs3Client.STALE || (left.status == 0 && left.node.links() == 0),
            () -> node + ": " + left.status + " " + left.node);
      }
    }
  }
}
