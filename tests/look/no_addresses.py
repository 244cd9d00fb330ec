"""A site without a single address, for pages that must not need one."""

urlpatterns: list[object] = []
