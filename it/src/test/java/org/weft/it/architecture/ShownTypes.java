package org.weft.it.architecture;

import java.lang.reflect.Executable;
import java.lang.reflect.Field;
import java.lang.reflect.GenericArrayType;
import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import java.lang.reflect.ParameterizedType;
import java.lang.reflect.Type;
import java.lang.reflect.TypeVariable;
import java.lang.reflect.WildcardType;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.stream.Stream;

/**
 * The types that a class shows to code of other packages: in the signatures of its members, those
 * that it inherits included, and in its own head.
 */
final class ShownTypes {
  private final Set<Class<?>> types = new HashSet<>();
  private final Set<Type> seen = new HashSet<>();

  private ShownTypes() {}

  /** By "Class.member"; what the head shows has the name of the class. */
  static Map<String, Set<Class<?>>> of(Class<?> type) {
    Map<String, Set<Class<?>>> byMember = new TreeMap<>();
    add(byMember, type.getSimpleName(), head(type));
    for (Class<?> each = type; isLookedAt(each); each = each.getSuperclass()) {
      Stream.<Executable>concat(
              Stream.of(each.getDeclaredMethods()),
              each == type ? Stream.of(each.getDeclaredConstructors()) : Stream.empty())
          .filter(member -> isShown(type, member.getModifiers()) && !member.isSynthetic())
          .forEach(member -> add(byMember, name(type, member.getName()), signature(member)));
      for (Field field : each.getDeclaredFields()) {
        if (isShown(type, field.getModifiers())) {
          add(byMember, name(type, field.getName()), List.of(field.getGenericType()));
        }
      }
    }
    return byMember;
  }

  /** Other packages may name the class. */
  static boolean isShown(Class<?> type) {
    Class<?> around = type.getDeclaringClass();
    return Modifier.isPublic(type.getModifiers()) && (around == null || isShown(around));
  }

  private static boolean isLookedAt(Class<?> type) {
    return type != null && !type.getName().startsWith("java.");
  }

  /** What is protected is seen by subclasses alone. */
  private static boolean isShown(Class<?> type, int modifiers) {
    return Modifier.isPublic(modifiers)
        || Modifier.isProtected(modifiers) && !Modifier.isFinal(type.getModifiers());
  }

  private static String name(Class<?> type, String member) {
    int nested = member.lastIndexOf('.');
    return type.getSimpleName() + "." + member.substring(nested + 1);
  }

  private static List<Type> head(Class<?> type) {
    return Stream.of(
            type.getGenericSuperclass() == null
                ? Stream.<Type>empty()
                : Stream.of(type.getGenericSuperclass()),
            Stream.of(type.getGenericInterfaces()),
            Stream.<Type>of(type.getTypeParameters()))
        .flatMap(each -> each)
        .toList();
  }

  private static List<Type> signature(Executable member) {
    return Stream.of(
            member instanceof Method method
                ? Stream.of(method.getGenericReturnType())
                : Stream.<Type>empty(),
            Stream.of(member.getGenericParameterTypes()),
            Stream.of(member.getGenericExceptionTypes()),
            Stream.<Type>of(member.getTypeParameters()))
        .flatMap(each -> each)
        .toList();
  }

  private static void add(Map<String, Set<Class<?>>> byMember, String member, List<Type> shown) {
    ShownTypes all = new ShownTypes();
    shown.forEach(all::add);
    byMember
        .computeIfAbsent(
            member, name -> new TreeSet<>((a, b) -> a.getName().compareTo(b.getName())))
        .addAll(all.types);
  }

  private void add(Type type) {
    if (!seen.add(type)) {
      return;
    }
    if (type instanceof Class<?> plain) {
      types.add(plain.isArray() ? element(plain) : plain);
    } else if (type instanceof ParameterizedType parameterized) {
      add(parameterized.getRawType());
      addAll(parameterized.getActualTypeArguments());
    } else if (type instanceof GenericArrayType array) {
      add(array.getGenericComponentType());
    } else if (type instanceof WildcardType wildcard) {
      addAll(wildcard.getUpperBounds());
      addAll(wildcard.getLowerBounds());
    } else if (type instanceof TypeVariable<?> variable) {
      addAll(variable.getBounds());
    } else {
      throw new AssertionError("unknown kind of type: " + type);
    }
  }

  private void addAll(Type[] all) {
    for (Type each : all) {
      add(each);
    }
  }

  private static Class<?> element(Class<?> array) {
    return array.isArray() ? element(array.getComponentType()) : array;
  }
}
