package org.weft.it.architecture;

import com.sun.source.tree.BinaryTree;
import com.sun.source.tree.CaseTree;
import com.sun.source.tree.ClassTree;
import com.sun.source.tree.CompilationUnitTree;
import com.sun.source.tree.ExpressionTree;
import com.sun.source.tree.IdentifierTree;
import com.sun.source.tree.LiteralTree;
import com.sun.source.tree.MemberSelectTree;
import com.sun.source.tree.MethodInvocationTree;
import com.sun.source.tree.MethodTree;
import com.sun.source.tree.ParenthesizedTree;
import com.sun.source.tree.SwitchExpressionTree;
import com.sun.source.tree.SwitchTree;
import com.sun.source.tree.Tree;
import com.sun.source.tree.UnaryTree;
import com.sun.source.util.JavacTask;
import com.sun.source.util.TreeScanner;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.SortedSet;
import java.util.TreeSet;
import java.util.stream.Collectors;
import javax.tools.JavaCompiler;
import javax.tools.JavaFileObject;
import javax.tools.ToolProvider;
import org.weft.protocol.error.ErrorCode;

/**
 * Finds places that answer yes or no for an error by a list of codes of their own. Such a place is
 * a condition that compares one value with two codes or more. Others are a switch to yes or no that
 * treats two alike, a branch of a switch statement for two, and a collection of two. A switch that
 * turns codes into something else, such as a status of HTTP, is no list.
 *
 * <p>Reads sources, for in byte code a comparison looks like a branch. It knows codes by their
 * names alone, and takes a switch for one over codes if all its labels are such names.
 */
final class ErrorLists extends TreeScanner<Void, Void> {
  private static final Set<String> CODES =
      Arrays.stream(ErrorCode.values()).map(Enum::name).collect(Collectors.toUnmodifiableSet());

  private final SortedSet<String> found = new TreeSet<>();
  private String type = "";
  private String method = "";

  private ErrorLists() {}

  /** Where lists are, as Class.method. */
  static SortedSet<String> in(Collection<? extends JavaFileObject> sources) throws IOException {
    JavaCompiler compiler = ToolProvider.getSystemJavaCompiler();
    JavacTask task =
        (JavacTask) compiler.getTask(null, null, null, List.of("-proc:none"), null, sources);
    ErrorLists lists = new ErrorLists();
    for (CompilationUnitTree unit : task.parse()) {
      lists.scan(unit, null);
    }
    return lists.found;
  }

  /** A nested class counts as the one around it. */
  @Override
  public Void visitClass(ClassTree tree, Void unused) {
    String around = type;
    type = around.isEmpty() ? tree.getSimpleName().toString() : around;
    super.visitClass(tree, null);
    type = around;
    return null;
  }

  /** What is in a method's lambda or anonymous class counts as the method's. */
  @Override
  public Void visitMethod(MethodTree tree, Void unused) {
    String around = method;
    method = around.isEmpty() ? tree.getName().toString() : around;
    super.visitMethod(tree, null);
    method = around;
    return null;
  }

  private void foundIf(boolean isList) {
    if (isList) {
      found.add(type + '.' + method);
    }
  }

  @Override
  public Void visitBinary(BinaryTree tree, Void unused) {
    if (joins(tree)) {
      Map<String, Set<String>> codesBySubject = new HashMap<>();
      List<ExpressionTree> operands = new ArrayList<>();
      addOperands(tree, operands);
      for (ExpressionTree each : operands) {
        comparison(each)
            .ifPresent(
                compared ->
                    codesBySubject
                        .computeIfAbsent(compared.getKey(), subject -> new TreeSet<>())
                        .add(compared.getValue()));
        scan(each, null);
      }
      foundIf(codesBySubject.values().stream().anyMatch(codes -> codes.size() > 1));
      return null;
    }
    return super.visitBinary(tree, null);
  }

  private static boolean joins(Tree tree) {
    return tree.getKind() == Tree.Kind.CONDITIONAL_AND
        || tree.getKind() == Tree.Kind.CONDITIONAL_OR;
  }

  private static void addOperands(ExpressionTree tree, List<ExpressionTree> operands) {
    ExpressionTree bare = bare(tree);
    if (bare instanceof BinaryTree binary && joins(bare)) {
      addOperands(binary.getLeftOperand(), operands);
      addOperands(binary.getRightOperand(), operands);
    } else {
      operands.add(bare);
    }
  }

  private static ExpressionTree bare(ExpressionTree tree) {
    if (tree instanceof ParenthesizedTree inner) {
      return bare(inner.getExpression());
    }
    return tree.getKind() == Tree.Kind.LOGICAL_COMPLEMENT
        ? bare(((UnaryTree) tree).getExpression())
        : tree;
  }

  /** What is compared, and with which code. */
  private static Optional<Map.Entry<String, String>> comparison(ExpressionTree tree) {
    if (tree.getKind() != Tree.Kind.EQUAL_TO && tree.getKind() != Tree.Kind.NOT_EQUAL_TO) {
      return Optional.empty();
    }
    BinaryTree comparison = (BinaryTree) tree;
    Optional<String> right = code(comparison.getRightOperand());
    return right.isPresent()
        ? right.map(code -> Map.entry(comparison.getLeftOperand().toString(), code))
        : code(comparison.getLeftOperand())
            .map(code -> Map.entry(comparison.getRightOperand().toString(), code));
  }

  /** The code that is named, also by its number. */
  private static Optional<String> code(ExpressionTree tree) {
    if (tree instanceof MethodInvocationTree call
        && call.getMethodSelect() instanceof MemberSelectTree number
        && number.getIdentifier().contentEquals("number")) {
      return code(number.getExpression());
    }
    return tree instanceof MemberSelectTree member
            && member.getExpression().toString().endsWith("ErrorCode")
            && CODES.contains(member.getIdentifier().toString())
        ? Optional.of(member.getIdentifier().toString())
        : Optional.empty();
  }

  @Override
  public Void visitMethodInvocation(MethodInvocationTree tree, Void unused) {
    if (tree.getMethodSelect() instanceof MemberSelectTree method
        && method.getIdentifier().contentEquals("of")) {
      foundIf(tree.getArguments().stream().flatMap(each -> code(each).stream()).count() > 1);
    }
    return super.visitMethodInvocation(tree, null);
  }

  @Override
  public Void visitSwitch(SwitchTree tree, Void unused) {
    foundIf(
        isOfCodes(tree.getCases())
            && tree.getCases().stream().anyMatch(each -> each.getExpressions().size() > 1));
    return super.visitSwitch(tree, null);
  }

  @Override
  public Void visitSwitchExpression(SwitchExpressionTree tree, Void unused) {
    if (isOfCodes(tree.getCases())
        && tree.getCases().stream().anyMatch(each -> literal(each).isPresent())) {
      foundIf(labels(tree.getCases(), true) > 1 || labels(tree.getCases(), false) > 1);
      foundIf(tree.getCases().stream().anyMatch(each -> each.getExpressions().size() > 1));
    }
    return super.visitSwitchExpression(tree, null);
  }

  private static boolean isOfCodes(List<? extends CaseTree> cases) {
    List<String> labels =
        cases.stream()
            .flatMap(each -> each.getExpressions().stream())
            .map(each -> each instanceof IdentifierTree ? each.toString() : "")
            .toList();
    return !labels.isEmpty() && CODES.containsAll(labels);
  }

  private static int labels(List<? extends CaseTree> cases, boolean answer) {
    return cases.stream()
        .filter(each -> literal(each).equals(Optional.of(answer)))
        .mapToInt(each -> each.getExpressions().size())
        .sum();
  }

  /** Yes or no, if that is all that the branch is. */
  private static Optional<Boolean> literal(CaseTree branch) {
    return branch.getBody() instanceof LiteralTree literal
            && literal.getValue() instanceof Boolean answer
        ? Optional.of(answer)
        : Optional.empty();
  }
}
